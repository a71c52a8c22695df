"""What this store knows about the jobs that resources were made for."""

from __future__ import annotations

import getpass
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tpuherd.cloud.labels import label_value
from tpuherd.durations import span
from tpuherd.engine.holding import holds_nothing
from tpuherd.engine.recorder import recorded
from tpuherd.engine.stages import Stage
from tpuherd.engine.tenure import expired, idle_until

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tpuherd.model.allocation import Allocation
    from tpuherd.store.records import JobRecord
    from tpuherd.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFacts:
    """One job as far as it matters for what it may hold."""

    id: str
    attempt: int
    """Number of the newest attempt."""
    state: str
    """`live`, `paused`, or how it ended."""
    keep: bool = False
    """It was told to keep its slices when it ends."""
    driver: str = ""
    """The process that drives it; empty if there is none."""
    holding: bool = False
    """It has asked for slices and not given them back."""
    held: frozenset[str] | None = None
    """Names of the nodes, and of the queued resource, that it got; `None`: it is not known what it got."""
    due: str = ""
    """Why it has to give them back: its ttl, or that nothing uses them; empty if it has not."""

    @property
    def live(self) -> bool:
        """True if it has not ended."""
        return self.state in {"live", "paused"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What the store said at one moment."""

    store_id: str
    owner: str
    """Who asks, as labels spell it."""
    jobs: dict[str, tuple[JobFacts, ...]] = field(default_factory=dict)
    """Jobs by their id as labels spell it; long ids may be spelled the same."""


def know(store: Store, labels: Iterable[str]) -> Known:
    """Ask the store about jobs.

    Ask after the cloud was read: a job is in the store before anything is made for it, so one that is missing
    has been forgotten.

    Args:
        store: the store.
        labels: the jobs' ids as labels spell them.
    """
    wanted = set(labels)
    found: dict[str, tuple[JobFacts, ...]] = {}
    for record in store.jobs.all():
        label = label_value(record.id)
        if label in wanted:
            found[label] = (*found.get(label, ()), facts(store, record))
    return Known(store_id=store.settings.store_id, owner=label_value(getpass.getuser()), jobs=found)


def facts(store: Store, record: JobRecord) -> JobFacts:
    """What matters about one job."""
    allocation = recorded(store.stages, record.id, record.attempt, Stage.PROVISION)
    return JobFacts(
        id=record.id,
        attempt=record.attempt,
        state=record.state.value,
        keep=record.keep,
        driver=store.leases.driver(record.id) or "",
        holding=not holds_nothing(store, record.id, record.attempt),
        held=None if allocation is None else _names(allocation),
        due=_due(store, record),
    )


def _names(allocation: Allocation) -> frozenset[str]:
    nodes = {piece.node_id for piece in allocation.slices}
    return frozenset(nodes | ({allocation.queued_resource_id} if allocation.queued_resource_id else set()))


def _due(store: Store, record: JobRecord) -> str:
    if expired(record) is not None:
        return f"its ttl of {span(record.ttl_s or 0.0)} is over"
    idle_at = idle_until(record, store.tenures.last_use(record.id))
    if idle_at is not None and idle_at < time.time():
        return f"nothing has used it for {span(record.idle_timeout_s or 0.0)}"
    return ""
