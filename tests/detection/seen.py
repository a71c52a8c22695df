"""Observations as values, for decisions that are pure functions of them."""

from __future__ import annotations

from dataclasses import replace

from tpuherd import EndedBy, ExitKind, Observation, Presence, SliceObservation, WorkerExit, WorkloadExit
from tpuherd.hooks import GlobalHooks
from tpuherd.manager import make_plugin_manager
from tpuherd.model.detector import Detector, Fact, Finding, Where
from tpuherd.observing.facts import facts
from tpuherd.observing.weighing import findings

MANAGER = make_plugin_manager()
ROWS: list[Detector] = [row for _, row in GlobalHooks(MANAGER).detectors()]
JAX_SAYS = (
    "Terminating process because the JAX distributed service detected fatal errors. "
    "This most likely indicates that another task died"
)


def ended(worker, kind=ExitKind.EXITED, code=1, at=100.0, log="", ahead_s=0.0):
    return WorkerExit(worker=worker, kind=kind, code=code, ended_at=at, log_tail=log, clock_ahead_s=ahead_s)


def workload(*ends, ended_by=EndedBy.ITSELF, why="", sightings=()):
    return WorkloadExit(workers=ends, ended_by=ended_by, why=why, sightings=sightings)


def piece(state="READY", presence=Presence.PRESENT, **more):
    return SliceObservation(node_id="node-1", presence=presence, state=state, **more)


def observed(exit_=None, *, logs=(), error="the workload failed", **more):
    """An observation with its findings; `logs` are pairs of a worker and a line of its log."""
    seen = Observation(stage="run_workload", error=error, exit=exit_, **more)
    lines = [Fact(where=Where.LOG, worker=worker, text=text, line=1) for worker, text in logs]
    found = findings(ROWS, [*facts(seen), *lines])
    return replace(seen, findings=tuple(found))


def found(row, text="x", worker=None):
    return Finding(detector=row, fact=Fact(where=row.where, text=text, worker=worker))
