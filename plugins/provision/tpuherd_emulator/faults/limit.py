"""A limit of chips that somebody sets: for capacity or for quota."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tpuherd.config.choices import nearest
from tpuherd.errors import ConfigError
from tpuherd.generations import GENERATIONS
from tpuherd_emulator.faults.limits import MARKETS, Pool

CAPACITY, QUOTA = LIMITS = ("capacity", "quota")

_PLACE = re.compile(r"[a-z]+-[a-z]+\d+(-[a-z])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """How many chips there are, or the project may have, in a place."""

    limit: str
    """`capacity` or `quota`."""
    place: str
    """A zone, or a region: `us-west4-a`, `us-west4`."""
    chips: int | None
    """`None`: no limit any more."""
    generation: str = ""
    """For example `v5e`; empty: of all together."""
    market: str = ""
    """`on-demand`, `spot` or `reserved`; empty: of all together."""

    @property
    def pool(self) -> Pool:
        """The chips that are meant."""
        return Pool(place=self.place, generation=self.generation, market=self.market)


def check(limit: Limit) -> Limit:
    """Return the limit, if it can be one.

    Raises:
        ConfigError: It names what does not exist.
    """
    generations = [generation.name for generation in GENERATIONS]
    for name, word, known in (
        ("limit", limit.limit, LIMITS),
        ("generation", limit.generation, ("", *generations)),
        ("market", limit.market, ("", *MARKETS)),
    ):
        if word not in known:
            raise ConfigError(f"{name} {word!r}: {nearest(word, filter(None, known))}")
    if not _PLACE.fullmatch(limit.place):
        raise ConfigError(f"place {limit.place!r}: write a zone or a region: us-west4-a, us-west4")
    if limit.chips is not None and limit.chips < 0:
        raise ConfigError(f"chips {limit.chips}: it must not be negative")
    return limit
