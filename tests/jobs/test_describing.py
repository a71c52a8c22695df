"""One page about a job, and entries for ssh."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from keeping import kept_job

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from herd import Herd

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Herd]:
    folder = tmp_path_factory.mktemp("describe")
    (folder / "code").mkdir()
    (folder / "code" / "file").touch()
    with kept_job(folder, code={"sync": "worktree", "path": "code"}) as herd:
        yield herd


def test_the_page(kept: Herd) -> None:
    page = json.loads(kept.ok("describe", "job", "--json"))
    assert page["file"] == str(kept.root / "job.yaml")
    assert (page["state"], page["holds"], page["attempt"]) == ("succeeded", True, 1)
    assert len(page["allocation"]["slices"][0]["workers"]) == 4
    assert page["environment"]["kind"] == "host"
    assert page["code"]["snapshot"]
    assert page["price_usd_per_hour"] == 0
    assert [row["stage"] for row in page["stages"]][:2] == ["provision", "prepare_env"]
    shown = kept.ok("describe", "job")
    address = page["allocation"]["slices"][0]["workers"][3]["ssh_address"]
    for text in (address, page["code"]["snapshot"], "nothing, it is emulated", "run_workload", "job.yaml"):
        assert text in shown


def test_entries_for_ssh_that_work(kept: Herd, tmp_path: Path) -> None:
    printed = kept.ok("ssh-config")
    assert printed.count("Host ") == 4
    config = tmp_path / "ssh" / "config"
    config.parent.mkdir()
    config.write_text("Host mine\n  User me\n")
    config.chmod(0o640)
    told = json.loads(kept.ok("ssh-config", "--write", "--config", config, "--json"))
    assert told["line_added"]
    assert len(told["names"]) == 4
    again = json.loads(kept.ok("ssh-config", "--write", "--config", config, "--json"))
    assert not again["line_added"]
    lines = config.read_text().splitlines()
    assert lines[1:] == ["Host mine", "  User me"]
    assert lines[0].startswith("Include ")
    assert config.stat().st_mode & 0o777 == 0o640
    if shutil.which("ssh"):
        argv = ["ssh", "-F", str(config), "-o", "BatchMode=yes", "job-w2", "echo", "on", "$TPU_WORKER_ID"]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
        assert done.stdout == "on 2\n", done.stderr


def test_the_file_of_one_that_has_none(kept: Herd, tmp_path: Path) -> None:
    config = tmp_path / "new" / "config"
    kept.ok("ssh-config", "--write", "--config", config)
    assert config.read_text().count("\n") == 1
    assert config.stat().st_mode & 0o777 == 0o600


def test_what_is_given_back_has_no_entry(cloud: Herd) -> None:
    cloud.ok("run", cloud.job())
    assert "Host " not in cloud.ok("ssh-config")
    assert "nothing" in cloud.ok("describe", "job")
