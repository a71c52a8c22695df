"""From an answer of the TPU API to its meaning: a table of details and texts, and one of codes.

The texts are those that public issues and the code of other runners quote (skypilot, marin, terraform's
Google provider); the part `[EID: 0x…]` at their end differs each time and is taken off.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tpuherd.cloud.refusals import Meaning, Refusal, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What is known of an answer that is no success."""

    status: str
    """Name of the status code, for example `RESOURCE_EXHAUSTED`."""
    text: str
    reasons: tuple[str, ...] = ()
    """`google.rpc.ErrorInfo.reason` of its details."""
    quotas: tuple[str, ...] = ()
    """What `google.rpc.QuotaFailure` says in its details: subject and description of each violation."""


STOCKOUT = Meaning(refusal=Refusal.STOCKOUT, scope=Scope.ZONE)
ZONE_QUOTA = Meaning(refusal=Refusal.QUOTA, scope=Scope.ZONE)
REGION_QUOTA = Meaning(refusal=Refusal.QUOTA, scope=Scope.REGION)
NO_ZONE = Meaning(refusal=Refusal.PERMISSION, scope=Scope.ZONE)
NO_PERMISSION = Meaning(refusal=Refusal.PERMISSION, scope=Scope.PROJECT)
NO_LOGIN = Meaning(refusal=Refusal.AUTHENTICATION, scope=Scope.PROJECT)
BAD_REQUEST = Meaning(refusal=Refusal.BAD_REQUEST, scope=Scope.PROJECT)
NOT_IN_ZONE = Meaning(refusal=Refusal.BAD_REQUEST, scope=Scope.ZONE)
CONFLICT = Meaning(refusal=Refusal.CONFLICT, scope=Scope.PROJECT)
API_DOWN = Meaning(refusal=Refusal.API_DOWN, scope=Scope.PROJECT)
UNKNOWN = Meaning(refusal=Refusal.UNKNOWN, scope=Scope.ZONE)

BY_REASON = {
    "RATE_LIMIT_EXCEEDED": API_DOWN,
    "SERVICE_DISABLED": NO_PERMISSION,
    "ZONE_RESOURCE_POOL_EXHAUSTED": STOCKOUT,
    "ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS": STOCKOUT,
}
"""Machine-readable reasons that say more than code and text."""

BY_TEXT: tuple[tuple[str, Meaning], ...] = (
    (r"no more capacity in the zone", STOCKOUT),
    (r"insufficient (reserved )?capacity", STOCKOUT),
    (r"does not have enough (resources|capacity)", STOCKOUT),
    (r"while in state preempted", STOCKOUT),
    (r"requests? per (minute|second|day)", API_DOWN),
    (r"quota.*(perzone|in zone )", ZONE_QUOTA),
    (r"quota.*(exhausted|exceeded|perregion|in region )", REGION_QUOTA),
    (r"location \S+ is not found or access is unauthorized", NO_ZONE),
    (r"accelerator ?type.*(not available|not offered|not supported|not found) in", NOT_IN_ZONE),
)
"""Regular expressions in lower case; the first that is found counts. A preempted node is no capacity, too."""

BY_STATUS = {
    "RESOURCE_EXHAUSTED": STOCKOUT,
    "PERMISSION_DENIED": NO_PERMISSION,
    "UNAUTHENTICATED": NO_LOGIN,
    "INVALID_ARGUMENT": BAD_REQUEST,
    "OUT_OF_RANGE": BAD_REQUEST,
    "UNIMPLEMENTED": BAD_REQUEST,
    "NOT_FOUND": BAD_REQUEST,
    "ALREADY_EXISTS": CONFLICT,
    "UNAVAILABLE": API_DOWN,
    "DEADLINE_EXCEEDED": API_DOWN,
    "INTERNAL": API_DOWN,
    "ABORTED": API_DOWN,
}
"""What a code means if neither details nor text say more."""


def meaning_of(answer: Answer) -> Meaning:
    """What the answer to a call means; after `API_DOWN` it is not known whether the call had an effect."""
    said = next((BY_REASON[reason] for reason in answer.reasons if reason in BY_REASON), None)
    return said or _by_text(answer) or BY_STATUS.get(answer.status, UNKNOWN)


def meaning_of_end(answer: Answer) -> Meaning:
    """What the error means in which an operation or a queued resource has ended.

    An end is an end: a code that would mean after a call that the API is down only says here that something
    in the cloud went wrong.
    """
    found = meaning_of(answer)
    return UNKNOWN if found is API_DOWN else found


def without_event_id(text: str) -> str:
    """A text of the API without the id that differs each time."""
    return re.sub(r"\s*\[EID:[^\]]*\]", "", text).strip()


def _by_text(answer: Answer) -> Meaning | None:
    if answer.quotas:
        return _quota(" ".join((*answer.quotas, answer.text)).lower())
    text = answer.text.lower()
    return next((meaning for pattern, meaning in BY_TEXT if re.search(pattern, text, re.DOTALL)), None)


def _quota(text: str) -> Meaning:
    return ZONE_QUOTA if re.search(r"perzone|in zone ", text) else REGION_QUOTA
