"""A fleet as a table: a row per member, one with the totals, and what is well."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tpuherd.monitoring.table import rate_text, state_text
from tpuherd.output.tables import ago, duration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rich.console import RenderableType

    from tpuherd.members.view import FleetView, MemberView
    from tpuherd.monitoring.view import JobView

BEFORE = ("member", "zone", "state", "attempt")
AFTER = ("tokens/s", "cost", "heard", "error")
BYTES = "_bytes"
STYLES = {"succeeded": "green", "failed": "red", "cancelled": "yellow"}


def columns(fleet: FleetView) -> tuple[str, ...]:
    """The headings; what members count is in the middle."""
    return (*BEFORE, *(_heading(name) for name in fleet.counts), *AFTER)


def rows(fleet: FleetView) -> list[tuple[str, ...]]:
    """One per member."""
    return [_row(member, list(fleet.counts)) for member in fleet.members]


def totals(fleet: FleetView) -> tuple[str, ...]:
    """The last row."""
    counts = (_number(name, value) for name, value in fleet.counts.items())
    rate = rate_text(fleet.count_rate_per_s)
    return ("totals", "", "", "", *counts, rate, _usd(fleet.cost_usd), "", "")


def summary(fleet: FleetView) -> str:
    """How far the work is, and how well the members are, in a line."""
    parts = ["healthy {healthy}, working {working}, needs recovery {needs_recovery}".format(**fleet.health)]
    if fleet.done:
        step, total = fleet.done
        parts.insert(0, f"{step} of {total} done ({step / total:.0%})")
    if fleet.eta_s is not None:
        parts.append(f"ETA {duration(fleet.eta_s)}")
    moment = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(fleet.at))
    return "; ".join([*parts, f"last update {moment}"])


def drawn(fleet: FleetView, shown: Iterable[JobView] = (), selected: str = "") -> RenderableType:
    """The table for a terminal.

    Args:
        fleet: all members.
        shown: those that get a row; none: all.
        selected: one that stands out.
    """
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    wanted = {view.job for view in shown}
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_footer=True)
    for heading, total in zip(columns(fleet), totals(fleet), strict=True):
        table.add_column(heading, footer=total, no_wrap=True, overflow="ellipsis")
    for member, row in zip(fleet.members, rows(fleet), strict=True):
        if not wanted or member.job in wanted:
            style = "reverse" if member.job == selected else STYLES.get(member.state, "")
            table.add_row(*(Text(cell) for cell in row), style=style)
    return Group(table, Text(summary(fleet)))


def with_fleet(look: Callable[[], FleetView]) -> Callable[[Sequence[JobView], str, int], RenderableType]:
    """What the screen of `tpuherd monitor` shows instead of its own table."""
    return lambda views, selected, _width: drawn(look(), views, selected)


def _row(member: MemberView, names: Sequence[str]) -> tuple[str, ...]:
    counts = (_number(name, member.counts.get(name)) for name in names)
    before = (member.job, member.zone, state_text(member), str(member.attempt))
    heard = "" if member.ended else ago(member.heard_at)
    return (*before, *counts, rate_text(member.count_rate_per_s), _usd(member.cost_usd), heard, member.error)


def _heading(name: str) -> str:
    return name.removesuffix(BYTES).replace("_", " ")


def _number(name: str, value: int | None) -> str:
    if value is None:
        return ""
    return f"{value / 2**20:,.1f} MiB" if name.endswith(BYTES) else f"{value:,}"


def _usd(cost: float | None) -> str:
    return "?" if cost is None else f"{cost:.2f} USD"
