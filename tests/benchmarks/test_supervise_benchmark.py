"""The benchmark of a supervisor: a small run of the real thing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "supervise.py"


@pytest.mark.slow(40)
def test_a_small_run_has_all_figures_and_its_jobs_cost_no_calls_of_their_own(tmp_path: Path) -> None:
    argv = [sys.executable, str(SCRIPT), "--jobs", "8", "--zones", "2", "--steady-s", "4"]
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False, timeout=280)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    few, many = report["cases"]
    assert [(case["jobs"], case["driven"]) for case in (few, many)] == [(2, 2), (8, 8)]
    assert set(many["steady"]["api_calls"]) <= {"list_queued_resources"}
    assert many["starting"]["api_calls"]["create_queued_resource"] == 8
    assert len(many["cancel"]["until_the_job_has_ended_s"]) == 5
    assert report["summary"]["rss_mib"]["found"] > 1
