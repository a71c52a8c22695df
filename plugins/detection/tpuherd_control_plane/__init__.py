"""Failures that the control plane tells of: node and queue states, health, symptoms, notices, refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import Where, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd import Detector, Diagnosis, Job, Observation

PLACES = (
    Where.NODE_STATE,
    Where.NODE_HEALTH,
    Where.NODE_SYMPTOM,
    Where.NODE_MAINTENANCE,
    Where.QUEUE_STATE,
    Where.METADATA,
    Where.REFUSAL,
)


@hookimpl
def detectors() -> Sequence[Detector]:
    """The rows of `detectors.toml`."""
    from tpuherd.observing.table import load_table

    return load_table("tpuherd_control_plane")


@hookimpl
def detect_failure(job: Job, observation: Observation) -> Diagnosis | None:  # noqa: ARG001 - values alone decide
    """What the API, the metadata servers and a refusal say; what is unknown says nothing."""
    from tpuherd.observing.weighing import opinion_of

    return opinion_of(observation, *PLACES)
