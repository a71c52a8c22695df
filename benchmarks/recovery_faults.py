"""The faults: how each is injected, and what is measured from then on."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recovery_cloud import busy_s
from recovery_subject import Subject, ended, watched

from tpuherd_emulator.control.client import Control

if TYPE_CHECKING:
    from collections.abc import Callable

    from inner_loop_lab import Lab

LONG_NOTICE_S = 3600.0
"""The slice stays long after the work has ended itself: its loss is not what is acted on."""
SETTLED_S, SPREAD_S = 1.5, 2.0
"""A fault comes so long after the work has begun, and up to so much longer: no fixed moment of any poll."""
STRUCK = 1
"""The worker to which it happens, if it happens to one."""
NOTICED = frozenset({"workload.stopping", "workload.ended", "stage.failed"})
"""The first of these events says that the failure is known."""

Sample = dict[str, float]
"""Name of a time to seconds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Struck:
    """One fault."""

    at: float
    """Before it was injected, so that no figure is too good."""
    acted_at: float | None = None
    """When that was done which this kind of fault is about; `None`: its events tell."""


def notice(subject: Subject, control: Control, stage: int) -> Struck:
    """The metadata server announces a preemption; all processes have got SIGTERM."""
    at = time.time()
    control.preempt("*", LONG_NOTICE_S)
    return Struck(at=at, acted_at=subject.told(stage))


def preempted(_subject: Subject, control: Control, _stage: int) -> Struck:
    """The slice is preempted at once; its metadata servers say so while its workers lose power."""
    at = time.time()
    control.preempt("*", 0.0)
    return Struck(at=at)


def lost(_subject: Subject, control: Control, _stage: int) -> Struck:
    """The slice is lost, and nobody but the API says so: no metadata server, no worker."""
    at = time.time()
    control.fault("terminated")
    return Struck(at=at)


def silence(_subject: Subject, control: Control, _stage: int) -> Struck:
    """A worker does not answer any more, and the API shows nothing."""
    at = time.time()
    control.fault("unreachable-worker", worker=STRUCK)
    return Struck(at=at)


def process(subject: Subject, _control: Control, stage: int) -> Struck:
    """The processes of one worker are killed; those of all workers have ended."""
    found = subject.processes(stage)
    with watched([one for of_worker in found.values() for one in of_worker]) as descriptors:
        at = time.time()
        for one in found[STRUCK]:
            os.kill(one, signal.SIGKILL)
        return Struck(at=at, acted_at=ended(descriptors))


KINDS: dict[str, Callable[[Subject, Control, int], Struck]] = {
    "notice": notice,
    "preempted": preempted,
    "lost": lost,
    "silence": silence,
    "process": process,
}


def suffer(lab: Lab, kind: str, faults: int, mode: str, seed: int) -> list[Sample]:
    """So many faults of a kind, one after the other, to one job that recovers from each."""
    chance, struck = random.Random(f"{kind}-{seed}"), []
    subject = Subject(lab, kind, faults, mode)
    with Control(lab.info) as control, subject.running():
        for stage in range(1, faults + 1):
            subject.begun(stage)
            time.sleep(SETTLED_S + chance.uniform(0, SPREAD_S))
            struck.append(KINDS[kind](subject, control, stage))
            sys.stderr.write(f"{kind}: fault {stage} of {faults}\n")
        subject.begun(faults + 1)
    return [sample(lab, subject, stage, one) for stage, one in enumerate(struck, start=1)]


def sample(lab: Lab, subject: Subject, stage: int, one: Struck) -> Sample:
    """What one fault took."""
    events = [event["at"] for event in subject.events() if event["kind"] in NOTICED and event["at"] >= one.at]
    noticed_at = min(events)
    acted_at = noticed_at if one.acted_at is None else one.acted_at
    again_at = subject.begun(stage + 1)
    cloud_s = busy_s(lab, one.at, again_at)
    own_from = one.at if one.acted_at is not None else noticed_at
    return {
        "acted_s": acted_at - one.at,
        "noticed_s": noticed_at - one.at,
        "again_s": again_at - one.at,
        "cloud_s": cloud_s,
        "own_s": again_at - own_from - cloud_s,
    }
