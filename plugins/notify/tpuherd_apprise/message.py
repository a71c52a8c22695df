"""Events as messages for people."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from tpuherd.engine.tenure import local_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd import Event

LONGEST = 2000
"""Characters of a text; chats refuse much more."""
KINDS = {
    "job.succeeded": "success",
    "job.failed": "failure",
    "job.cancelled": "warning",
    "diagnosis": "warning",
    "stage.failed": "warning",
}
"""Apprise's word for an event; others are `info`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What is sent."""

    title: str
    body: str
    kind: str
    """`info`, `success`, `warning` or `failure`: many places show it by a color."""


def names(event: Event) -> set[str]:
    """What a job file may call an event: its kind, and for the end of a job also how it ended."""
    return {event.kind, f"job.{event.text}"} if event.kind == "job.ended" else {event.kind}


def wanted(event: Event, patterns: Sequence[str]) -> bool:
    """True if one of the patterns means the event."""
    return any(fnmatchcase(name, pattern) for name in names(event) for pattern in patterns)


def message_of(event: Event, left_out: int) -> Message:
    """An event in words.

    Args:
        event: what happened.
        left_out: messages about the job that were not sent because there were too many.
    """
    kind = next((KINDS[name] for name in sorted(names(event)) if name in KINDS), "info")
    note = f"\n({left_out} more messages were left out: notify.most_per_hour)" if left_out else ""
    text = event.text if len(event.text) <= LONGEST else event.text[:LONGEST] + " …"
    head = event.text.partition(":")[0].partition("\n")[0][:60]
    return Message(
        title=f"{event.job_id}: {event.kind} {head}".rstrip(),
        body=f"{text}\nattempt {event.attempt}, {local_time(event.at)}{note}",
        kind=kind,
    )
