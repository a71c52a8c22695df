"""From findings to an opinion, and from several opinions to one diagnosis."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

from tpuherd.model.detector import Finding
from tpuherd.model.failure import Diagnosis
from tpuherd.model.failure_class import FailureClass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tpuherd.model.detector import Detector, Fact, Where
    from tpuherd.model.observation import Observation

CAUSE_ORDER = (
    FailureClass.AUTHORIZATION,
    FailureClass.QUOTA,
    FailureClass.STOCKOUT,
    FailureClass.PREEMPTED,
    FailureClass.MAINTENANCE,
    FailureClass.DIRTY_DEVICE,
    FailureClass.DEVICE_OUT_OF_MEMORY,
    FailureClass.HOST_OUT_OF_MEMORY,
    FailureClass.HOST_FAULT,
    FailureClass.HUNG,
    FailureClass.NETWORK,
    FailureClass.USER_ERROR,
    FailureClass.UNKNOWN,
)
"""Of equal support, what comes first here causes what comes later, and not the other way round."""
OF_THE_CLOUD = frozenset({FailureClass.PREEMPTED, FailureClass.MAINTENANCE})
"""What happens to whole slices: no worker is to blame."""
MOST_EVIDENCE = 8
"""Sentences that are kept."""


def findings(detectors: Iterable[Detector], facts: Sequence[Fact]) -> list[Finding]:
    """All pairs of a detector and a fact of its place that match."""
    return [
        Finding(detector=detector, fact=fact)
        for detector in detectors
        for fact in facts
        if fact.where is detector.where and detector.expression.search(fact.text)
    ]


def opinion_of(observation: Observation, *places: Where) -> Diagnosis | None:
    """What the findings of some places mean together: the body of most `detect_failure` hooks."""
    return weigh([_opinion(one, observation) for one in observation.findings if one.detector.where in places])


def weigh(opinions: Sequence[Diagnosis]) -> Diagnosis | None:
    """The diagnosis that several opinions support best.

    Opinions that may be symptoms of something else count only if there is no other. Those of one class
    support each other: of two independent ones with 0.5 and 0.6, one is right with 0.8.

    Args:
        opinions: in any order.

    Returns:
        The most confident opinion of the best supported class, with the evidence of the others of its class
        after its own, and then of all others with their class. `None`: there is no opinion.
    """
    causes = [one for one in opinions if not one.symptom] or list(opinions)
    if not causes:
        return None
    classes = {one.failure for one in causes}
    best = min(classes, key=lambda failure: (-_support(causes, failure), CAUSE_ORDER.index(failure)))
    agreeing = sorted((o for o in opinions if o.failure is best), key=lambda o: (o.symptom, -o.confidence))
    others = [one for one in opinions if one.failure is not best]
    evidence = [text for one in agreeing for text in one.evidence]
    evidence += [_besides(one, text) for one in others for text in one.evidence]
    blamed = next((one.blamed_worker for one in agreeing if one.blamed_worker is not None), None)
    return replace(
        agreeing[0],
        evidence=tuple(dict.fromkeys(evidence))[:MOST_EVIDENCE],
        confidence=_support(causes, best),
        blamed_worker=blamed,
    )


def _besides(one: Diagnosis, text: str) -> str:
    return text if text.startswith("besides (") else f"besides ({one.failure.value}): {text}"


def _support(opinions: Sequence[Diagnosis], failure: FailureClass) -> float:
    """At most 0.99: nothing is certain."""
    doubts = prod(1.0 - one.confidence for one in opinions if one.failure is failure)
    return min(0.99, 1.0 - doubts)


def _opinion(finding: Finding, observation: Observation) -> Diagnosis:
    row, fact = finding.detector, finding.fact
    return Diagnosis(
        failure=row.failure,
        evidence=(f"{fact.sentence} [{row.id}]",),
        blamed_worker=_blamed(finding, observation),
        confidence=row.confidence,
        symptom=row.symptom,
        detector=row.id,
        action=row.action,
    )


def _blamed(finding: Finding, observation: Observation) -> int | None:
    """Who shows a cause; of a symptom, who ended first; of what the cloud does to a slice, nobody."""
    row, seen_on = finding.detector, finding.fact.worker
    first = observation.exit.first_failure if observation.exit else None
    if first is None or (seen_on is not None and not row.symptom):
        return seen_on
    return None if seen_on is None and row.failure in OF_THE_CLOUD else first.worker
