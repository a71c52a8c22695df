"""Sums over portions: goodput, badput by cause, dollars."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd.reporting.portions import PRODUCTIVE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tpuherd.reporting.portions import Portion


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """Time that was not productive, by its cause."""

    cause: str
    after: str
    """Class of the failure behind it; empty: it would have been needed without one."""
    seconds: float
    cost_usd: float | None
    """`None`: the price of some of it is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The time of one job, or of several together."""

    total_s: float
    productive_s: float
    held_s: float
    """In which slices were held."""
    cost_usd: float | None
    """By list prices; `None`: that of some of it is not known."""
    losses: tuple[Loss, ...]
    """The largest first; with `productive_s` they make up `total_s`."""

    @property
    def goodput(self) -> float | None:
        """Productive time by all time, from 0 to 1; `None` if there was no time at all."""
        return self.productive_s / self.total_s if self.total_s else None

    @property
    def paid_goodput(self) -> float | None:
        """Productive time by the time in which slices were held, from 0 to 1; `None` if none were."""
        return self.productive_s / self.held_s if self.held_s else None

    @property
    def usd_per_productive_h(self) -> float | None:
        """What an hour of productive time cost with all that was lost around it; `None`: not known."""
        if self.cost_usd is None or not self.productive_s:
            return None
        return self.cost_usd / (self.productive_s / 3600)


def account(portions: Sequence[Portion]) -> Account:
    """Sum up."""
    lost = [one for one in portions if one.cause != PRODUCTIVE]
    return Account(
        total_s=sum(one.seconds for one in portions),
        productive_s=sum(one.seconds for one in portions if one.cause == PRODUCTIVE),
        held_s=sum(one.held_s for one in portions),
        cost_usd=total([one.usd for one in portions]),
        losses=tuple(sorted(_losses(lost), key=lambda loss: -loss.seconds)),
    )


def total(amounts: Iterable[float | None]) -> float | None:
    """A sum, which is not known if one of its parts is not."""
    found = list(amounts)
    return None if None in found else sum(amount or 0.0 for amount in found)


def _losses(lost: Sequence[Portion]) -> list[Loss]:
    keys = dict.fromkeys((one.cause, one.after) for one in lost)
    return [_loss(key, [one for one in lost if (one.cause, one.after) == key]) for key in keys]


def _loss(key: tuple[str, str], lost: Sequence[Portion]) -> Loss:
    return Loss(
        cause=key[0],
        after=key[1],
        seconds=sum(one.seconds for one in lost),
        cost_usd=total([one.usd for one in lost]),
    )
