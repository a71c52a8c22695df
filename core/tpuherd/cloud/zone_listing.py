"""What a zone holds, listed once for everybody in this process who asks at about the same time."""

from __future__ import annotations

import threading
import time
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tpuherd.cloud.client import Listing, TpuApi
from tpuherd.errors import ProvisionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.model.cloud import Cloud

RETRY_S = 3.0
"""How long an API that does not answer is asked again; then the answer is *unknown*."""
_age_s: ContextVar[float] = ContextVar("age of a listing", default=0.0)


def tolerate(age_s: float) -> None:
    """Let this thread be answered with listings of others that are so old: jobs of one zone share calls."""
    _age_s.set(age_s)


@dataclass(slots=True)
class _Shelf:
    lock: threading.Lock = field(default_factory=threading.Lock)
    listing: Listing | None = None
    error: ProvisionError | None = None
    asked_at: float = float("-inf")


_shelves: dict[tuple[str | None, str, str, str], _Shelf] = {}
_guard = threading.Lock()


def zone_listing(cloud: Cloud, zone: str, method: str, versions: Sequence[str]) -> Listing:
    """All resources of one kind in a zone, as they are now; or a little earlier, see `tolerate`.

    Those who ask while somebody else waits for an answer share the next one.

    Args:
        cloud: which API, and which project.
        zone: the zone.
        method: for example `list_nodes`.
        versions: of the API; the first that answers counts.

    Raises:
        ProvisionError: no version answers.
    """
    key = (cloud.tpu_endpoint, cloud.project, zone, method)
    with _guard:
        shelf = _shelves.setdefault(key, _Shelf())
    oldest = time.monotonic() - _age_s.get()
    with shelf.lock:
        if shelf.asked_at < oldest:
            _fill(shelf, cloud, zone, method, versions)
        if shelf.listing is None:
            raise shelf.error or ProvisionError(f"{method} in {zone}: no answer")
        return shelf.listing


def _fill(shelf: _Shelf, cloud: Cloud, zone: str, method: str, versions: Sequence[str]) -> None:
    shelf.asked_at, shelf.listing, shelf.error = time.monotonic(), None, None
    for version in versions:
        try:
            shelf.listing = TpuApi(cloud, zone, read_retry_s=RETRY_S, version=version).listed(method)
        except ProvisionError as error:
            shelf.error = error
        else:
            return


def item_name(item: Any) -> str:
    """The id of a resource: the last part of its name."""
    return str(item.name).rpartition("/")[2]
