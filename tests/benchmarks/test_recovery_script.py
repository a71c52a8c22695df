"""`benchmarks/recovery.py` as people run it: report, refusals, and that it leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from leftovers import left, nothing_left

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "recovery.py"
DEADLINE_S = 250.0


def command(*words):
    return [sys.executable, str(SCRIPT), *words]


@pytest.mark.parametrize(
    ("words", "said"),
    [(("--faults=0",), "at least 1"), (("--kinds=flood",), "silence"), (("--mode=xpk",), "tpu-vm")],
)
def test_what_it_cannot_do_is_refused(words, said):
    done = subprocess.run(command(*words), capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.slow(40)
def test_a_small_run_reports_each_kind_and_leaves_nothing(short):
    done = subprocess.run(
        command("--faults=1", "--kinds=notice,lost,process", "--mode=queued-resources", "--targets"),
        env=os.environ | {"TMPDIR": str(short)},
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
    )
    assert done.returncode == 0, done.stderr
    nothing_left(short)
    report = json.loads(done.stdout)
    assert next(iter(report)) == "ratios"
    assert set(report["ratios"]) == {"notice", "lost"}
    assert set(report["measured"]) == {"notice", "lost", "process"}
    for kind, (one,) in report["samples"].items():
        assert 0 < one["acted_s"] < one["again_s"], kind
        assert 0 < one["noticed_s"] < one["again_s"], kind
        assert 0 < one["own_s"] <= one["again_s"], kind
        assert report["measured"][kind]["own_s"]["max"] == pytest.approx(one["own_s"], abs=1e-3)
    assert "reached" in done.stderr or "missed" in done.stderr


@pytest.mark.slow(40)
def test_after_ctrl_c_nothing_is_left(short, tmp_path):
    log = tmp_path / "log"
    with log.open("w") as file:
        process = subprocess.Popen(
            command("--kinds=notice", "--faults=30"),
            env=os.environ | {"TMPDIR": str(short)},
            stdout=subprocess.DEVNULL,
            stderr=file,
            start_new_session=True,
        )
    try:
        deadline = time.monotonic() + DEADLINE_S
        while "fault 1" not in log.read_text() and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert process.poll() is None, log.read_text()
        assert left(short)
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(DEADLINE_S) == 130, log.read_text()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    nothing_left(short)
