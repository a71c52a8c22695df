"""Several opinions to one."""

from __future__ import annotations

import itertools

import pytest

from tpuherd import Diagnosis, FailureClass
from tpuherd.observing.weighing import CAUSE_ORDER, MOST_EVIDENCE, weigh

F = FailureClass


def opinion(failure, confidence=0.5, *, symptom=False, worker=None, evidence=None):
    return Diagnosis(
        failure=failure,
        evidence=(evidence or f"{failure.value} {confidence}",),
        confidence=confidence,
        symptom=symptom,
        blamed_worker=worker,
    )


def test_every_class_has_its_place_in_the_order_of_causes():
    assert sorted(CAUSE_ORDER, key=list(F).index) == list(F)


@pytest.mark.parametrize(
    ("opinions", "failure"),
    [
        ([opinion(F.PREEMPTED, 0.6), opinion(F.NETWORK, 0.9, symptom=True)], F.PREEMPTED),
        ([opinion(F.USER_ERROR, 0.5, symptom=True), opinion(F.NETWORK, 0.6, symptom=True)], F.NETWORK),
        ([opinion(F.HUNG, 0.7), opinion(F.HOST_FAULT, 0.5), opinion(F.HOST_FAULT, 0.5)], F.HOST_FAULT),
        ([opinion(F.USER_ERROR, 0.8), opinion(F.MAINTENANCE, 0.8)], F.MAINTENANCE),
        ([opinion(F.UNKNOWN, 0.1)], F.UNKNOWN),
    ],
)
def test_the_best_supported_class_counts_causes_before_symptoms(opinions, failure):
    for order in itertools.permutations(opinions):
        assert weigh(order).failure is failure


def test_nobody_has_an_opinion():
    assert weigh([]) is None


def test_agreement_makes_sure_but_never_certain():
    two = weigh([opinion(F.HUNG, 0.5), opinion(F.HUNG, 0.6)])
    assert two.confidence == pytest.approx(0.8)
    assert weigh([opinion(F.HUNG, 1.0)]).confidence == 0.99
    assert weigh([opinion(F.HUNG, 0.5)] * 40).confidence == 0.99


def test_whoever_names_the_worker_is_believed():
    found = weigh([opinion(F.PREEMPTED, 0.9), opinion(F.PREEMPTED, 0.4, worker=3)])
    assert (found.blamed_worker, len(found.evidence)) == (3, 2)


def test_evidence_is_bounded_and_weighing_again_changes_no_sentence():
    many = [opinion(F.HUNG, 0.5, evidence=f"sign {number}") for number in range(20)]
    first = weigh([*many, opinion(F.NETWORK, 0.1)])
    assert len(first.evidence) == MOST_EVIDENCE
    besides = weigh([opinion(F.HUNG), opinion(F.NETWORK, 0.1, evidence="besides (quota): x")])
    assert besides.evidence[1] == "besides (quota): x"
