"""Failures that the end of a process, and the machine on which it ended, tell of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import Where, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd import Detector, Diagnosis, Job, Observation


@hookimpl
def detectors() -> Sequence[Detector]:
    """The rows of `detectors.toml`."""
    from tpuherd.observing.table import load_table

    return load_table("tpuherd_exit_status")


@hookimpl
def detect_failure(job: Job, observation: Observation) -> Diagnosis | None:  # noqa: ARG001 - values alone decide
    """How the first worker ended, which is a symptom of anything else that is known."""
    from tpuherd.observing.weighing import opinion_of

    return opinion_of(observation, Where.EXIT, Where.HOST)
