"""Reads of the TPU API that many jobs of one process share: one listing per zone, instead of a call per job.

A job whose reads are shared is answered from a listing, if that was asked for after its own last write, and
is no older than the process allows. Soon after a write, and for what a listing does not show, the API
itself is asked. Processes that drive one job share nothing.
"""

from __future__ import annotations

import threading
import time
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tpuherd.errors import ProvisionError

if TYPE_CHECKING:
    from tpuherd.cloud.client import Listing, TpuApi

LISTS = {"nodes": "list_nodes", "queuedResources": "list_queued_resources"}
"""The collections that are read through listings."""
FIRST_AGE_S, AGE_PER_JOB_S, LONGEST_AGE_S = 0.2, 0.01, 10.0


@dataclass(slots=True)
class _Reads:
    """What one job needs to be told."""

    since: float
    """Nobody but the job itself has changed what is its own since then: its lease was taken, or it wrote."""


@dataclass(slots=True)
class _Shelf:
    lock: threading.Lock = field(default_factory=threading.Lock)
    asked_at: float = float("-inf")
    listing: Listing | None = None
    by_name: dict[str, Any] = field(default_factory=dict)
    error: ProvisionError | None = None


@dataclass(slots=True)
class _Process:
    age_s: float = FIRST_AGE_S


_reads: ContextVar[_Reads | None] = ContextVar("shared reads of a job", default=None)
_process = _Process()
_shelves: dict[tuple[str | None, str, str], _Shelf] = {}
_guard = threading.Lock()


def share() -> None:
    """Let the job that this thread works on share its reads, in all threads that it starts for that."""
    _reads.set(_Reads(since=time.monotonic()))


def suit(jobs: int) -> None:
    """Choose how old a shared listing may be: little while there are few jobs, 10 s with a thousand."""
    _process.age_s = min(LONGEST_AGE_S, FIRST_AGE_S + AGE_PER_JOB_S * jobs)


def forget() -> None:
    """Drop all listings: nobody needs them now."""
    with _guard:
        _shelves.clear()


def first_pause_s() -> float:
    """How long a job that shares its reads waits at least before it reads again; 0 for others."""
    return 0.0 if _reads.get() is None else _process.age_s / 5


def wrote() -> None:
    """Note that the job of this thread has changed something, or may have."""
    reads = _reads.get()
    if reads is not None:
        reads.since = time.monotonic()


def listed(api: TpuApi, method: str) -> Listing:
    """All resources of one kind in a zone, for the job of this thread.

    Raises:
        ProvisionError: the API does not tell.
    """
    reads = _reads.get()
    if reads is None:
        return api.listed(method)
    oldest = max(reads.since, time.monotonic() - _tolerated_s(reads))
    shelf = _shelf(api, method)
    with shelf.lock:
        if shelf.asked_at < oldest:
            _fill(shelf, api, method)
        if shelf.listing is None:
            raise shelf.error or ProvisionError(f"{method} in {api.parent}: no answer")
        return shelf.listing


def seen(api: TpuApi, path: str) -> Any | None:
    """A resource by its path below the zone, for the job of this thread; `None`: the API has to be asked.

    Raises:
        ProvisionError: the API does not tell.
    """
    kind, _, name = path.partition("/")
    reads, method = _reads.get(), LISTS.get(kind)
    if reads is None or method is None:
        return None
    shelf = _shelf(api, method)
    with shelf.lock:
        if shelf.asked_at < time.monotonic() - _process.age_s:
            _fill(shelf, api, method)
        if shelf.asked_at < max(reads.since, time.monotonic() - _tolerated_s(reads)):
            return None
        if shelf.error:
            raise shelf.error
        return shelf.by_name.get(name)


def _tolerated_s(reads: _Reads) -> float:
    """How old an answer may be: much less than the time since the job's own last write."""
    return min(_process.age_s, (time.monotonic() - reads.since) / 2)


def _shelf(api: TpuApi, method: str) -> _Shelf:
    with _guard:
        return _shelves.setdefault((api.endpoint, api.parent, method), _Shelf())


def _fill(shelf: _Shelf, api: TpuApi, method: str) -> None:
    shelf.asked_at, shelf.listing, shelf.error, shelf.by_name = time.monotonic(), None, None, {}
    try:
        shelf.listing = api.listed(method)
    except ProvisionError as error:
        shelf.asked_at, shelf.error = time.monotonic(), error  # it was asked for long, and is down now
    else:
        shelf.by_name = {str(item.name).rpartition("/")[2]: item for item in shelf.listing.items}
