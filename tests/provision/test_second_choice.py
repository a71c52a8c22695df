"""A whole job on the type that came, not on the one that was wished for first."""

from __future__ import annotations

import json

import pytest
import yaml


@pytest.mark.slow
def test_the_work_runs_on_all_workers_of_the_slice_that_came(tmp_path, tpuherd_run):
    path = tmp_path / "job.yaml"
    tpu = {"accelerators": ["v5litepod-16", "v5litepod-8"], "zone": "us-west4-a"}
    path.write_text(
        yaml.safe_dump({"cloud": "emulator", "tpu": tpu, "command": {"cmd": "echo of $TPUHERD_WORKERS"}})
    )
    assert tpuherd_run("cloud.up").exit_code == 0
    assert tpuherd_run("cloud.fault", "stockout", "--type", "v5litepod-16").exit_code == 0

    done = tpuherd_run("run", str(path))

    assert done.exit_code == 0, done.stderr
    assert done.stdout.count("of 1") == 1
    nodes = json.loads(tpuherd_run("cloud.status", "--json").stdout)["nodes"]
    assert nodes == []
