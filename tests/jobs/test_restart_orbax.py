"""Orbax's own emergency checkpoint benchmark, killed on two workers while it trains, restores its step."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from herd import REPOSITORY

if TYPE_CHECKING:
    from herd import Herd

EXAMPLE = REPOSITORY / "examples" / "orbax_emergency.yaml"


@pytest.mark.slow(30)
def test_the_second_run_logs_the_step_that_it_restored(cloud: Herd) -> None:
    done = cloud.ends_with(0, "run", EXAMPLE, "--test-restart", "--json", timeout_s=800)
    said = json.loads(done.stdout)
    assert "Training step 1" in said["restart_test"]["killed"]
    first, second = (
        [cloud.log(worker, "orbax-emergency", attempt) for worker in (0, 1)] for attempt in (1, 2)
    )
    for lines in first:
        assert not any("Latest step" in line for line in lines), "it began from scratch"
        assert not any("run_benchmarks.py finished" in line for line in lines), "it was killed"
    steps = [re.findall(r"Latest step: (\d+)", "\n".join(lines)) for lines in second]
    assert steps[0] == steps[1]
    assert len(steps[0]) == 1, "both workers restore the same step, once"
    assert f"w0: 'Latest step: {steps[0][0]}'" in said["restart_test"]["verdict"]
    trained = {int(step) for step in re.findall(r"Training step (\d+)", "\n".join(second[0]))}
    assert trained == set(range(int(steps[0][0]) + 1, 5)), "and goes on after it"


def test_without_a_folder_that_outlives_the_attempt_it_is_refused(herd: Herd) -> None:
    words = ("--test-restart", "--override", "orbax_benchmark.local_directory=null")
    done = herd.ends_with(3, "run", EXAMPLE, *words)
    assert "workload orbax_benchmark does not say by which line" in done.stderr
