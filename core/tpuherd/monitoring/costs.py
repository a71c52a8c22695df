"""What jobs have cost so far, as `tpuherd history` reckons it, asked for again only now and then."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tpuherd.engine.chain import chain
from tpuherd.engine.holding import holds_nothing
from tpuherd.reporting.specs import Specs

if TYPE_CHECKING:
    from pluggy import PluginManager

    from tpuherd.store.records import JobRecord
    from tpuherd.store.store import Store

FRESH_S = 10.0
"""So old may the cost of a job be that holds slices."""


class Costs:
    """Reckons costs, and remembers them."""

    def __init__(self, store: Store, manager: PluginManager) -> None:
        """Keep the parts."""
        self._store = store
        self._specs = Specs(manager)
        self._known: dict[str, tuple[float, float | None]] = {}

    def of(self, record: JobRecord) -> float | None:
        """US dollars so far; `None`: the price, or what the job file means, is not known."""
        until, cost = self._known.get(record.id, (0.0, None))
        if time.monotonic() < until:
            return cost
        cost = self._reckon(record)
        over = record.state.ended and holds_nothing(self._store, record.id, record.attempt)
        self._known[record.id] = (time.monotonic() + (3600.0 if over else FRESH_S), cost)
        return cost

    def _reckon(self, record: JobRecord) -> float | None:
        spec = self._specs.of(record)
        links = chain(self._store, record, spec) if spec else []
        costs = [link.cost_usd for link in links]
        return sum(cost or 0.0 for cost in costs) if costs and None not in costs else None
