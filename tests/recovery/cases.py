"""Failures as values: enough for policies, which are pure functions."""

from __future__ import annotations

from dataclasses import replace

from tpuherd import AttemptRecord, Diagnosis, FailureClass
from tpuherd.hooks import Hooks
from tpuherd.model.scene import Scene

NOW = 1_000_000.0
HERE = "us-west4-a"
OTHER = "us-central1-a"
HOUR = 3600.0


def failure(name, *, at=NOW, step=None, confidence=0.9, **scene):
    """One failure: class, moment, checkpoint, and what differs from a workload that ran for a minute."""
    usual = {"stage": "run_workload", "zone": HERE, "held_s": 100.0, "ran_s": 60.0, "usable": True}
    return Diagnosis(
        failure=FailureClass(name),
        evidence=(f"{name} was seen",),
        confidence=confidence,
        checkpoint_step=step,
        scene=Scene(at=at, **{**usual, **scene}),
    )


def past(*diagnoses, recovery="RestartInPlace"):
    """A history, in which the failures came one minute after the other."""
    count = len(diagnoses)
    return [
        AttemptRecord(
            number=number + 1,
            diagnosis=replace(one, scene=replace(one.scene, at=NOW - 60.0 * (count - number))),
            recovery=recovery,
            started_at=0.0,
            ended_at=1.0,
        )
        for number, one in enumerate(diagnoses)
    ]


class Policy:
    """A policy of a job file, asked through the hooks."""

    def __init__(self, factory, manager, **document):
        self.job = factory(document)
        self._hooks = Hooks(manager, self.job.spec)

    def says(self, diagnosis, *before, job=None):
        return self._hooks.recover(job=job or self.job, diagnosis=diagnosis, history=past(*before))
