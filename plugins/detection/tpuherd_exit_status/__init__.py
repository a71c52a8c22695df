"""Failure detection from exit codes and from what the control plane says about the slices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import (
    Diagnosis,
    ExitKind,
    FailureClass,
    Job,
    Observation,
    Presence,
    SliceObservation,
    WorkerExit,
    hookimpl,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

STATES = {
    "PREEMPTED": FailureClass.PREEMPTED,
    "TERMINATED": FailureClass.MAINTENANCE,
    "REPAIRING": FailureClass.HOST_FAULT,
    "STOPPED": FailureClass.MAINTENANCE,
}
"""State of a node to what it means for the job (TPU API reference, `Node.State`)."""

KILLED = 9
"""SIGKILL: on a host that was not stopped by anybody, the kernel's out-of-memory killer sends it."""


@hookimpl
def detect_failure(job: Job, observation: Observation) -> Diagnosis | None:  # noqa: ARG001 - values alone decide
    """Blame the slices first, then the worker that ended first."""
    return _from_slices(observation.slices) or _from_exit(observation)


def _from_slices(slices: Iterable[SliceObservation]) -> Diagnosis | None:
    for piece in slices:
        if piece.state in STATES:
            evidence = f"the TPU API says that {piece.node_id} is {piece.state} {piece.detail}".strip()
            return Diagnosis(failure=STATES[piece.state], evidence=(evidence,), confidence=0.9)
        if piece.presence is Presence.ABSENT:
            evidence = f"the TPU API knows no {piece.node_id} {piece.detail}".strip()
            return Diagnosis(failure=FailureClass.PREEMPTED, evidence=(evidence,), confidence=0.6)
    return None


def _from_exit(observation: Observation) -> Diagnosis | None:
    blamed = observation.exit.first_failure if observation.exit else None
    if blamed is None:
        return None
    failure, words = _meaning(blamed)
    return Diagnosis(
        failure=failure, evidence=(f"w{blamed.worker} {words}",), blamed_worker=blamed.worker, confidence=0.5
    )


def _meaning(end: WorkerExit) -> tuple[FailureClass, str]:
    if end.kind is ExitKind.LOST:
        return FailureClass.HOST_FAULT, "went away without an exit code"
    if end.kind is ExitKind.SIGNALLED and end.code == KILLED:
        return FailureClass.HOST_OUT_OF_MEMORY, "was killed by signal 9, which nobody here sent"
    if end.kind is ExitKind.SIGNALLED:
        return FailureClass.UNKNOWN, f"was ended by signal {end.code}"
    return FailureClass.USER_ERROR, f"exited with {end.code}"
