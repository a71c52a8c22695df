"""A worker whose clock is off: its `date` tells another time than this machine's."""

from __future__ import annotations

import json
import re
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
import yaml

import tpuherd_host
from tpuherd.envs.clocks import Clocks
from tpuherd.errors import LocalError, PrepareError

if TYPE_CHECKING:
    from pathlib import Path

DATE = """\
#!/bin/bash
off_s="$(cat "$HOME/clock-off" 2> /dev/null || echo 0)"
exec /usr/bin/date --date="@$(($(/usr/bin/date +%s) + off_s))" "$@"
"""


def with_date(image: Path) -> None:
    """Workers of this image may be told to be wrong."""
    (image / "bin" / "date").write_text(DATE)
    (image / "bin" / "date").chmod(0o755)


@pytest.fixture
def off(cloud, held):
    """Set clocks of workers to be off by so many seconds."""
    with_date(cloud.directory / "image")
    files = [cloud.home(worker) / "clock-off" for worker in held.workers]

    def set_off(**seconds):
        for name, value in seconds.items():
            files[int(name[1:])].write_text(str(value))

    yield set_off
    for path in files:
        path.unlink(missing_ok=True)


def host_job(cloud, **environment):
    return cloud.job({"environment": {"preflight": False, **environment}}, job_id="clock-0001")


def test_clocks_that_are_right_are_no_topic(cloud, held, off, capsys):
    off(w0=0)
    tpuherd_host.prepare_env(host_job(cloud), held)
    assert "clock" not in capsys.readouterr().err


@pytest.mark.parametrize(("off_s", "said"), [(3600, r"3\d\d\d s ahead of"), (-90, r"\d+ s behind")])
def test_a_clock_that_is_far_off_is_refused_with_what_it_breaks(cloud, held, off, off_s, said):
    off(w2=off_s)
    with pytest.raises(PrepareError) as caught:
        tpuherd_host.prepare_env(host_job(cloud), held)
    text = str(caught.value)
    assert re.match(rf"clocks are off: w2 is {said} this machine \(environment\.clock_off_s: 30\)\. ", text)
    for broken in ("TLS certificates", "access tokens", "logs are merged", "timedatectl"):
        assert broken in text


def test_all_of_them_agreeing_mean_the_one_here(cloud, held, off):
    off(w0=900, w1=900, w2=900, w3=900)
    with pytest.raises(LocalError, match=r"clock of this machine is \d+ s behind those of all 4 workers"):
        tpuherd_host.prepare_env(host_job(cloud), held)


def test_all_of_them_may_be_wrong_each_in_its_way(cloud, held, off):
    off(w0=900, w1=900, w2=-900, w3=900)
    with pytest.raises(PrepareError, match=r"all of them are, so it may be the clock here"):
        tpuherd_host.prepare_env(host_job(cloud), held)


def test_what_only_mixes_logs_up_is_told(cloud, held, off, capsys):
    off(w1=-20)
    tpuherd_host.prepare_env(host_job(cloud, clock_off_s=1000), held)
    assert re.search(
        r"clocks are off: w1 is \d+ s behind this machine: logs are merged in a wrong order",
        re.sub(r"\s+", " ", capsys.readouterr().err),
    )


def test_a_slow_answer_is_no_wrong_clock():
    """It was said somewhere between the question and the answer."""
    clocks = Clocks()
    worker = SimpleNamespace(name="w0")
    clocks._asked_at = time.time() - 300
    clocks.hear(worker, f"#clock {time.time() - 200:.9f}")
    clocks.hear(worker, "#clock 1760000000.N")
    clocks.check(SimpleNamespace(spec=SimpleNamespace(environment=SimpleNamespace(clock_off_s=0))), 1)


@pytest.mark.slow
def test_a_whole_job_ends_before_its_work_and_leaves_nothing(tpuherd_run, tpuherd_home, tmp_path):
    assert tpuherd_run("cloud.up").exit_code == 0
    image = tpuherd_home / "emulator" / "image"
    with_date(image)
    text = (image / "bin" / "date").read_text().replace("$HOME/clock-off", f"{tmp_path}/clock-off")
    (image / "bin" / "date").write_text(text)
    (tmp_path / "clock-off").write_text("-4000")
    content = {
        "cloud": "emulator",
        "tpu": {"accelerator": "v5litepod-8", "zone": "us-west4-a"},
        "command": {"cmd": "echo never"},
    }
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(content))
    done = tpuherd_run("run", tmp_path / "job.yaml")
    assert done.exit_code == 6
    assert "clocks are off: w0 is" in done.stderr
    assert "never" not in done.stdout
    assert json.loads(tpuherd_run("cloud.status", "--json").stdout)["nodes"] == []
