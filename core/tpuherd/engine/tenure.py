"""How long a job may hold what it asks the cloud for, and which store knows of it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tpuherd.durations import span
from tpuherd.errors import Cancelled, Expired, Finished, Paused
from tpuherd.store.wishes import CANCEL, FINISH, PAUSE_AND_RELEASE, PAUSES

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd.store.records import JobRecord


def _without_limit() -> float | None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenure:
    """What the labels of a job's resources say besides whose they are."""

    store_id: str = ""
    """Of the store that has the job; empty if none has."""
    begin: Callable[[], float | None] = _without_limit
    """Call it when a resource is asked for; gives the moment at which the ttl is over, in Unix seconds."""


class Limited(Protocol):
    """What of a job's row says that it has to stop."""

    @property
    def wanted(self) -> str:
        """One of `store.wishes`."""

    @property
    def expires_at(self) -> float | None:
        """When its ttl is over."""

    @property
    def ttl_s(self) -> float | None:
        """How long it may hold slices."""


def stop_reason(record: Limited) -> Cancelled | None:
    """Why whoever drives a job has to stop it, by its row; `None` if it may go on."""
    if record.wanted == CANCEL:
        return Cancelled("the job was cancelled")
    if record.wanted == FINISH:
        return Finished("another member of its fleet has finished the work")
    if record.wanted in PAUSES:
        return Paused("the job was paused", release=record.wanted == PAUSE_AND_RELEASE)
    return expired(record)


def expired(record: Limited) -> Expired | None:
    """What ends a job whose ttl is over; `None` while it is not."""
    if record.expires_at is None or record.expires_at > time.time():
        return None
    limit = span(record.ttl_s or 0.0)
    return Expired(f"its ttl of {limit} is over: the job is stopped, and what it holds is given back")


def idle_until(record: JobRecord, last_use: float) -> float | None:
    """When a job that nobody drives will have been idle for too long; `None` if it may be.

    Args:
        record: the job.
        last_use: see `TenureStore.last_use`.
    """
    return None if record.idle_timeout_s is None else last_use + record.idle_timeout_s


def held_until(record: JobRecord, last_use: float) -> float | None:
    """When a job's slices are given back if nobody drives it or uses them; `None`: when somebody says so."""
    moments = (record.expires_at, idle_until(record, last_use))
    return min((moment for moment in moments if moment is not None), default=None)


def limits(record: JobRecord) -> str:
    """The limits of what a job keeps, as the end of a sentence; empty if it has none."""
    expiry = "" if record.expires_at is None else f" until {local_time(record.expires_at)}"
    idle = f" until nothing has used it for {span(record.idle_timeout_s)}" if record.idle_timeout_s else ""
    return expiry + (" or" if expiry and idle else "") + idle


def local_time(at: float) -> str:
    """A moment for people, in the time zone of this machine."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))
