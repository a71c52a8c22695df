"""What the API's refusals mean: real messages with real details, through Google's own error classes."""

from __future__ import annotations

import math

import grpc
import pytest
from google.api_core import exceptions
from google.rpc import error_details_pb2, status_pb2

from tpuherd import ProvisionError
from tpuherd.cloud.backoff import FIRST_PAUSE_S, LONGEST_PAUSE_S, Backoff
from tpuherd.cloud.classification import STOCKOUT, Answer, meaning_of
from tpuherd.cloud.failures import from_status, translated
from tpuherd.cloud.placement import Placement
from tpuherd.cloud.refusals import FIXES, CloudRefused, Meaning, Refusal, Scope
from tpuherd.cloud.summing_up import nothing_anywhere

NO_CAPACITY = (
    'There is no more capacity in the zone "us-west4-a"; you can try in another zone where Cloud TPU Nodes '
    "are offered (see https://cloud.google.com/tpu/docs/regions) [EID: 0x{}]"
)
ZONE_QUOTA = (
    "Quota 'TPUV2sPreemptiblePodPerProjectPerZoneForTPUAPI' exhausted. Limit 32 in zone europe-west4-a"
)
REGION_QUOTA = (
    "Quota 'TPUV2sPreemptiblePodPerProjectPerRegionForTPUAPI' exhausted. Limit 32 in region europe-west4"
)
LIMIT_0 = (
    "Quota limit 'TPUV6EPreemptiblePerProjectPerRegionForTPUAPI' has been exceeded. "
    "Limit: 0 in region us-east5."
)
NO_ZONE = "Location us-east1-z is not found or access is unauthorized."
DENIED = "Permission 'tpu.nodes.list' denied on 'projects/p'"

CASES = [
    (8, NO_CAPACITY.format("6f1c9ddf"), Refusal.STOCKOUT, Scope.ZONE),
    (8, NO_CAPACITY.format("6f1c9ddf") + " you can queue your request", Refusal.STOCKOUT, Scope.ZONE),
    (8, "Insufficient reserved capacity. Contact customer support. [EID: 0x1]", Refusal.STOCKOUT, Scope.ZONE),
    (9, "Insufficient reserved capacity. Contact customer support. [EID: 0x1]", Refusal.STOCKOUT, Scope.ZONE),
    (
        3,
        "Cloud TPU received a bad request. update is not supported while in state PREEMPTED [EID: 0x2]",
        Refusal.STOCKOUT,
        Scope.ZONE,
    ),
    (8, ZONE_QUOTA, Refusal.QUOTA, Scope.ZONE),
    (8, REGION_QUOTA, Refusal.QUOTA, Scope.REGION),
    (8, LIMIT_0, Refusal.QUOTA, Scope.REGION),
    (7, NO_ZONE, Refusal.PERMISSION, Scope.ZONE),
    (7, DENIED, Refusal.PERMISSION, Scope.PROJECT),
    (16, "Request had invalid authentication credentials.", Refusal.AUTHENTICATION, Scope.PROJECT),
    (3, "Invalid node_id 'X'", Refusal.BAD_REQUEST, Scope.PROJECT),
    (6, "Resource 'projects/p/locations/z/nodes/n' already exists", Refusal.CONFLICT, Scope.PROJECT),
    (14, "Internal error. Please try again", Refusal.API_DOWN, Scope.PROJECT),
    (4, "Deadline Exceeded", Refusal.API_DOWN, Scope.PROJECT),
    (8, "Something new that nobody has seen yet", Refusal.STOCKOUT, Scope.ZONE),
    (1, "The operation was overtaken", Refusal.UNKNOWN, Scope.ZONE),
]


def call_error(code, text, *details):
    """The exception that Google's client raises for a status."""
    status = next(status for status in grpc.StatusCode if status.value[0] == code)
    return exceptions.from_grpc_status(status, text, details=list(details))


def refused(error):
    with pytest.raises(CloudRefused) as caught, translated("create_node in projects/p/locations/z"):
        raise error
    return caught.value


@pytest.mark.parametrize(("code", "text", "refusal", "scope"), CASES)
def test_calls_are_told_apart_by_code_and_text(code, text, refusal, scope):
    if code == 6:  # callers decide on it themselves
        with pytest.raises(exceptions.AlreadyExists), translated("create_node"):
            raise call_error(code, text)
        return
    error = refused(call_error(code, text))
    assert (error.refusal, error.scope) == (refusal, scope)
    assert isinstance(error, ProvisionError)
    assert "EID" not in str(error)


@pytest.mark.parametrize(("code", "text", "refusal", "scope"), CASES)
def test_ends_of_operations_are_told_apart_alike(code, text, refusal, scope):
    error = from_status("creating node n", status_pb2.Status(code=code, message=text))
    ended = (Refusal.UNKNOWN, Scope.ZONE) if refusal is Refusal.API_DOWN else (refusal, scope)
    assert (error.refusal, error.scope) == ended
    assert not error.unanswered  # an operation that has ended is an answer


@pytest.mark.parametrize(
    ("subject", "scope"),
    [("TPUV5sPerProjectPerZoneForTPUAPI", Scope.ZONE), ("TPUV5sPerProjectPerRegionForTPUAPI", Scope.REGION)],
)
def test_details_say_more_than_the_text(subject, scope):
    failure = error_details_pb2.QuotaFailure(
        violations=[{"subject": "projects/p", "description": f"{subject} is used up"}]
    )
    called = refused(call_error(8, "Cannot do that", failure))
    status = status_pb2.Status(code=8, message="Cannot do that")
    status.details.add().Pack(failure)
    for error in (called, from_status("queued resource q", status)):
        assert (error.refusal, error.scope) == (Refusal.QUOTA, scope)


def test_too_many_requests_are_no_lack_of_capacity():
    info = error_details_pb2.ErrorInfo(reason="RATE_LIMIT_EXCEEDED", domain="googleapis.com")
    assert refused(call_error(8, "Quota exceeded", info)).refusal is Refusal.API_DOWN


def test_a_repeated_call_that_was_given_up_is_told_by_its_last_error():
    gave_up = exceptions.RetryError("Timeout of 60.0s exceeded", cause=call_error(14, "try again"))
    error = refused(gave_up)
    assert error.unanswered
    assert "UNAVAILABLE" in str(error)


def test_without_credentials_the_login_is_named():
    from google.auth.exceptions import DefaultCredentialsError

    error = refused(DefaultCredentialsError("none"))
    assert error.refusal is Refusal.AUTHENTICATION
    assert "gcloud auth application-default login" in str(error)


def test_every_meaning_has_a_fix_but_the_unknown():
    meanings = {meaning_of(Answer(status=_name(code), text=text)) for code, text, _, _ in CASES}
    assert {(m.refusal, m.scope) for m in meanings if m.refusal is not Refusal.UNKNOWN} <= set(FIXES)


def _name(code):
    return next(status.name for status in grpc.StatusCode if status.value[0] == code)


def test_only_what_holds_everywhere_stops_at_once():
    assert refused(call_error(7, DENIED)).meaning.hopeless
    assert not refused(call_error(7, NO_ZONE)).meaning.hopeless
    assert refused(call_error(7, NO_ZONE)).meaning.permanent
    assert not refused(call_error(8, REGION_QUOTA)).meaning.permanent


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def backoff(clock):
    return Backoff(clock=clock, jitter=lambda: 1.0)


def place(zone, accelerator="v5litepod-8"):
    return Placement(zone=zone, accelerator=accelerator)


def error(refusal, scope):
    return CloudRefused("said", Meaning(refusal=refusal, scope=scope))


@pytest.mark.parametrize(
    ("refusal", "scope", "closed"),
    [
        (Refusal.STOCKOUT, Scope.ZONE, {("us-west4-a", "v5litepod-8")}),
        (Refusal.QUOTA, Scope.ZONE, {("us-west4-a", "v5litepod-8"), ("us-west4-a", "v5litepod-16")}),
        (
            Refusal.QUOTA,
            Scope.REGION,
            {("us-west4-a", "v5litepod-8"), ("us-west4-a", "v5litepod-16"), ("us-west4-b", "v5litepod-8")},
        ),
        (
            Refusal.PERMISSION,
            Scope.ZONE,
            {("us-west4-a", "v5litepod-8"), ("us-west4-a", "v5litepod-16"), ("us-west4-a", "v6e-8")},
        ),
        (Refusal.BAD_REQUEST, Scope.ZONE, {("us-west4-a", "v5litepod-8")}),
    ],
)
def test_a_refusal_rules_out_its_scope_and_no_more(backoff, refusal, scope, closed):
    backoff.refused(place("us-west4-a"), error(refusal, scope))
    asked = [
        ("us-west4-a", "v5litepod-8"),
        ("us-west4-a", "v5litepod-16"),
        ("us-west4-a", "v6e-8"),
        ("us-west4-b", "v5litepod-8"),
        ("us-east1-d", "v5litepod-8"),
    ]
    assert {pair for pair in asked if backoff.barrier(place(*pair))} == closed


def test_it_is_left_alone_ever_longer_but_not_for_ever(backoff, clock):
    where, pauses = place("us-west4-a"), []
    for _ in range(8):
        backoff.refused(where, error(Refusal.STOCKOUT, Scope.ZONE))
        pauses.append(backoff.opens_in_s(where))
        clock.now += pauses[-1]
        assert backoff.barrier(where) is None
    assert pauses[:3] == [FIRST_PAUSE_S, 2 * FIRST_PAUSE_S, 4 * FIRST_PAUSE_S]
    assert pauses[-1] == LONGEST_PAUSE_S


def test_what_is_permanent_never_opens(backoff):
    backoff.refused(place("us-west4-a"), error(Refusal.PERMISSION, Scope.ZONE))
    assert math.isinf(backoff.opens_in_s(place("us-west4-a", "v6e-8")))


def test_jobs_that_were_refused_at_once_do_not_come_back_at_once():
    waits = set()
    for _ in range(20):
        backoff = Backoff(clock=lambda: 0.0)
        backoff.refused(place("us-west4-a"), error(Refusal.STOCKOUT, Scope.ZONE))
        waits.add(backoff.opens_in_s(place("us-west4-a")))
    assert len(waits) > 10
    assert all(FIRST_PAUSE_S / 2 <= wait_s <= FIRST_PAUSE_S for wait_s in waits)


def test_one_error_says_what_was_said_everywhere(backoff):
    west, same_region, east = place("us-west4-a"), place("us-west4-b"), place("us-east1-d")
    said = {west: error(Refusal.QUOTA, Scope.REGION), east: CloudRefused("none left", STOCKOUT)}
    for where, what in said.items():
        backoff.refused(where, what)
    text = str(nothing_anywhere([west, same_region, east], said, backoff))
    assert "none of 3 placements has delivered" in text
    assert "v5litepod-8 in us-west4-a: said" in text
    assert "v5litepod-8 in us-west4-b: not asked, what was said elsewhere holds here, too: said" in text
    assert "v5litepod-8 in us-east1-d: none left" in text
    assert text.count("ask for more quota") == 1
    assert text.count("no capacity: name more zones") == 1
