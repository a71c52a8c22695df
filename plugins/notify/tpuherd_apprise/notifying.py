"""From an event to messages."""

from __future__ import annotations

import time
from functools import cache
from typing import TYPE_CHECKING

from tpuherd_apprise.config import NotifySection
from tpuherd_apprise.limit import Limit
from tpuherd_apprise.message import message_of, wanted
from tpuherd_apprise.sender import Letter, Sender

if TYPE_CHECKING:
    from pathlib import Path

    from tpuherd import Event
    from tpuherd.config.spec import JobSpec


def notify(event: Event, spec: JobSpec, base_directory: Path) -> None:
    """Send a message about an event to all places of a job file, if it is wanted there and not too much.

    Args:
        event: what happened.
        spec: the job file.
        base_directory: its folder.
    """
    section = spec.section(NotifySection)
    if not wanted(event, section.events):
        return
    limit = _limit(event.job_id, section.most_per_hour)
    if not limit.admit(time.monotonic(), in_any_case=event.kind == "job.ended"):
        return
    message = message_of(event, limit.left_out())
    for number, ref in enumerate(section.urls):
        key = f"notify.urls[{number}]"
        sender().put(Letter(key=key, ref=ref, base_directory=base_directory, message=message))


@cache
def sender() -> Sender:
    """The one of this process."""
    return Sender()


@cache
def _limit(job_id: str, most: int) -> Limit:  # noqa: ARG001 - one per job
    return Limit(most)
