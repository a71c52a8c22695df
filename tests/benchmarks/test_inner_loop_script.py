"""`benchmarks/inner_loop.py` as people run it: report, refusals, and that it leaves nothing behind."""

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

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "inner_loop.py"
QUICK = ("--workers=1", "--repeats=1", "--files=20")
DEADLINE_S = 250.0


def command(*words):
    return [sys.executable, str(SCRIPT), *words]


@pytest.mark.parametrize(
    ("words", "said"),
    [(("--workers=3",), "64 workers"), (("--skip=everything",), "gcloud"), (("--repeats=0",), "at least 1")],
)
def test_what_it_cannot_do_is_refused(words, said):
    done = subprocess.run(command(*words), capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.slow(40)
def test_a_small_run_reports_every_part_draws_it_and_leaves_nothing(short, tmp_path):
    picture = tmp_path / "picture.png"
    words = (*QUICK, "--skip=gcloud", f"--plot={picture}", "--targets")
    done = subprocess.run(
        command(*words),
        env=os.environ | {"TMPDIR": str(short)},
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
    )
    assert done.returncode == 0, done.stderr
    nothing_left(short)
    report = json.loads(done.stdout)
    ours = {(row["work"], row["connections"]) for row in report["measured"] if row["who"] == "tpuherd"}
    both = {(work, kind) for work in ("noop", "edit_to_line", "sync_edit") for kind in ("warm", "cold")}
    first = {("first_to_line", "warm"), ("sync_first", "warm")}
    once = {(work, "") for work in ("help", "status", "list", "cloud", "create_to_command")}
    assert ours == both | first | once
    assert all(row["wall_s"]["min"] > 0 for row in report["measured"])
    assert report["left_out"]["gcloud"] == "not wanted"
    assert {"git", "python"} <= {row["who"] for row in report["ratios"]}
    assert "reached" in done.stderr or "missed" in done.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow(40)
def test_after_ctrl_c_nothing_is_left(short, tmp_path):
    log, report = tmp_path / "log", tmp_path / "report.json"
    with log.open("w") as file, report.open("w") as out:
        process = subprocess.Popen(
            command(*QUICK, "--skip=gcloud,start,fleet,create"),
            env=os.environ | {"TMPDIR": str(short)},
            stdout=out,
            stderr=file,
            start_new_session=True,
        )
    try:
        deadline = time.monotonic() + DEADLINE_S
        while "round 1" not in log.read_text() and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert left(short)
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(DEADLINE_S) == 130, log.read_text()
        assert json.loads(report.read_text())["broken"] == "interrupted"
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    nothing_left(short)
