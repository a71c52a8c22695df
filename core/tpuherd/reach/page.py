"""All that the store knows about one job, on one page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tpuherd.cloud.placement import Placement
from tpuherd.engine.recorder import recorded
from tpuherd.engine.stages import Stage

if TYPE_CHECKING:
    from tpuherd.config.spec import JobSpec
    from tpuherd.model.allocation import Allocation
    from tpuherd.model.outcome import Environment, SyncedCode
    from tpuherd.store.records import JobRecord
    from tpuherd.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What the newest attempt of a job is made of."""

    record: JobRecord
    spec: JobSpec
    allocation: Allocation | None
    """What the attempt got; it may have been given back."""
    holds: bool
    environment: Environment | None
    code: SyncedCode | None

    @property
    def price_per_hour(self) -> float | None:
        """List price of all slices in USD; `None` if it is not known; 0 for an emulated cloud."""
        if self.spec.cloud == "emulator":
            return 0.0
        if self.allocation is None or self.spec.tpu.reserved:
            return None
        place = Placement(zone=self.allocation.zone, accelerator=self.allocation.accelerator)
        price = place.price_per_hour(self.spec.tpu.pricing)
        return None if price is None else price * len(self.allocation.slices)


def page_of(store: Store, record: JobRecord, spec: JobSpec) -> Page:
    """Read the page of a job; nothing but the store is asked.

    Args:
        store: the store.
        record: the job.
        spec: its job file.
    """
    from tpuherd.engine.holding import holds_nothing

    def value(stage: Stage) -> Any:
        return recorded(store.stages, record.id, record.attempt, stage)

    return Page(
        record=record,
        spec=spec,
        allocation=value(Stage.PROVISION),
        holds=not holds_nothing(store, record.id, record.attempt),
        environment=value(Stage.PREPARE_ENV),
        code=value(Stage.SYNC_CODE),
    )
