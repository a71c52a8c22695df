"""How many chips there are, and how many of them are held: for capacity and for quota."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MARKETS = ("on-demand", "spot", "reserved")


def region_of(place: str) -> str:
    """The region of a zone; a region is its own."""
    return place.rpartition("-")[0] if is_zone(place) else place


def is_zone(place: str) -> bool:
    """True for `us-west4-a`, false for `us-west4`."""
    return place.count("-") > 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Chips that are counted together."""

    place: str
    """A zone, or a region."""
    generation: str = ""
    """For example `v5e`; empty: all of them."""
    market: str = ""
    """One of `MARKETS`; empty: all of them."""

    @property
    def is_zone(self) -> bool:
        """False if its place is a region."""
        return is_zone(self.place)

    def wider(self) -> tuple[Pool, ...]:
        """Itself and all pools that it is a part of."""
        places = dict.fromkeys((self.place, region_of(self.place)))
        return tuple(
            Pool(place=place, generation=generation, market=market)
            for place, generation, market in product(
                places, dict.fromkeys((self.generation, "")), dict.fromkeys((self.market, ""))
            )
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """Chips that somebody asks for."""

    pool: Pool
    chips: int


class Ledger:
    """Limits, and who holds what. Everything here is called under the scheduler's lock."""

    def __init__(self) -> None:
        self.limits: dict[Pool, int] = {}
        """Chips by pool; a pool that is not here has no limit."""
        self.changed: Callable[[], None] = lambda: None
        """Called when there may be more than before."""
        self._held: dict[str, Need] = {}
        self._used: Counter[Pool] = Counter()

    def limit(self, pool: Pool, chips: int | None) -> None:
        """Set how many chips a pool has; `None`: no limit any more."""
        if chips is None:
            self.limits.pop(pool, None)
        else:
            self.limits[pool] = chips
        self.changed()

    def used(self, pool: Pool) -> int:
        """Chips of a pool that are held."""
        return self._used[pool]

    def short(self, need: Need) -> Pool | None:
        """The first pool that has too few chips left for a need; `None` if there are enough."""
        return next((pool for pool in need.pool.wider() if self._left(pool) < need.chips), None)

    def hold(self, holder: str, need: Need) -> None:
        """Note who holds chips; somebody who holds some already gives them back first."""
        self._drop(holder)
        self._held[holder] = need
        self._count(need, need.chips)

    def move(self, holder: str, heir: str) -> None:
        """Let somebody else hold what somebody holds."""
        if holder in self._held:
            self._held[heir] = self._held.pop(holder)

    def free(self, holder: str) -> None:
        """Take back what somebody holds, if anything."""
        if self._drop(holder):
            self.changed()

    def _drop(self, holder: str) -> bool:
        need = self._held.pop(holder, None)
        if need is not None:
            self._count(need, -need.chips)
        return need is not None

    def _left(self, pool: Pool) -> float:
        return self.limits[pool] - self._used[pool] if pool in self.limits else float("inf")

    def _count(self, need: Need, chips: int) -> None:
        for pool in need.pool.wider():
            self._used[pool] += chips
