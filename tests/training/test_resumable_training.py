"""The training example is preempted three times, and ends with the bits of a run that nobody disturbed."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from herd import REPOSITORY, output, wait_for
from training_log import WORKERS, newest_step, said

from tpuherd_emulator.control.client import Control
from tpuherd_emulator.info import load

if TYPE_CHECKING:
    import subprocess

    from herd import Herd
    from training_log import Said

pytestmark = [pytest.mark.slow(90), pytest.mark.timeout(900)]

EXAMPLE = REPOSITORY / "examples" / "resumable_training.yaml"
JOB = "resumable-training"
UNDISTURBED = 'exec python train.py --checkpoints "$TPUHERD_CHECKPOINT_DIR" --steps 200 --save-every 20'
PREEMPTED_AT = ((25, 300), (60, 0), (95, 300))
"""The step after which the slice of each attempt is preempted, and the notice in seconds."""


def undisturbed(cloud: Herd) -> Said:
    words = ("--override", "job.name=undisturbed", "--override", f"command.cmd={UNDISTURBED}")
    cloud.ok("run", EXAMPLE, *words, timeout_s=400)
    first, second = (said(cloud, "undisturbed", 1, worker) for worker in WORKERS)
    assert first == second
    assert set(first.losses) == set(range(1, 201))
    return first


def preempt(cloud: Herd, controller: subprocess.Popen[str], attempt: int, at: int, notice_s: int) -> None:
    """Once an attempt has come so far."""
    far = wait_for(lambda: newest_step(cloud, JOB, attempt) >= at or controller.poll() is not None, 240)
    assert far, output(controller)
    assert controller.poll() is None, output(controller)
    info = load(cloud.home / "emulator" / "cloud.json")
    assert info
    with Control(info) as control:  # a command would take so long that the work goes on meanwhile
        control.preempt("*", notice_s)


def test_three_preemptions_change_no_bit_and_repeat_no_step_that_was_saved(cloud: Herd) -> None:
    alone = undisturbed(cloud)
    controller = cloud.start("run", EXAMPLE)
    for attempt, (at, notice_s) in enumerate(PREEMPTED_AT, start=1):
        preempt(cloud, controller, attempt, at, notice_s)
    assert controller.wait(400) == 0, output(controller)

    attempts = [[said(cloud, JOB, attempt, worker) for worker in WORKERS] for attempt in (1, 2, 3, 4)]
    for both in attempts:
        assert both[0].begun_at == both[1].begun_at
        for one in both:
            assert list(one.losses) == list(range(one.begun_at + 1, one.begun_at + 1 + len(one.losses)))
            assert one.losses.items() <= alone.losses.items(), "each step has the loss that it had alone"
    for before, after in pairwise(attempts):
        saved = max(step for one in before for step in one.saved)
        assert min(after[0].losses) > saved, "no step that was checkpointed is repeated"
    with_notice = [both for both, (_, notice_s) in zip(attempts, PREEMPTED_AT, strict=False) if notice_s]
    for both in with_notice:
        last = both[0].told_to_end_after
        assert last is not None
        assert all(max(one.losses) == one.saved[-1] == last for one in both), "saved in its grace time"
    assert [both[0].begun_at for both in attempts[1::2]] == [
        both[0].told_to_end_after for both in with_notice
    ]
    assert attempts[1][0].told_to_end_after is None
    assert {one.weights for one in attempts[3]} == {alone.weights}

    chain = json.loads(cloud.ok("history", JOB, "--json"))
    assert [(link["class"], link["action"]) for link in chain] == [
        *[("preempted", "ReplaceSlice")] * 3,
        (None, None),
    ]
    assert "going on in" not in output(controller), "after a new checkpoint there is no pause"
    assert cloud.cloud()["nodes"] == []
