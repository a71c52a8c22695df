"""Jobs as rows of a table."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tpuherd.output.tables import duration

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.table import Table

    from tpuherd.monitoring.view import JobView

COLUMNS = ("job", "attempt", "state", "failure", "progress", "rate", "ETA", "cost", "last line")
STYLES = {"succeeded": "green", "failed": "red", "cancelled": "yellow"}
LEFT_OUT = ((150, ()), (105, ("last line",)), (0, ("last line", "attempt", "rate", "failure")))
"""From how many characters on which columns are left out."""
STALE_S = 60.0
"""A step that came longer ago is shown with its age."""


def cells(view: JobView) -> tuple[str, ...]:
    """One job, in the order of `COLUMNS`."""
    return (
        view.job,
        str(view.attempt),
        state_text(view),
        view.failure,
        progress_text(view),
        rate_text(view.rate_per_s),
        "" if view.eta_s is None else duration(view.eta_s),
        "?" if view.cost_usd is None else f"{view.cost_usd:.2f} USD",
        view.last_line,
    )


def state_text(view: JobView) -> str:
    """How it ended or what goes on, for how long, and whether nobody drives it."""
    since = "" if view.stage_since is None else f" {duration(max(0.0, time.time() - view.stage_since))}"
    if view.ended:
        return f"{view.state}{since and since + ' ago'}"
    doing = view.stage or (view.state if view.state != "live" else "waiting")
    return f"{doing}{since}{'' if view.driver else ' (not driven)'}"


def progress_text(view: JobView) -> str:
    """For example `120/1000 12%, saved 100`; a step that is old has its age."""
    if view.step is None:
        return "" if view.checkpoint_step is None else f"saved {view.checkpoint_step}"
    of = f"/{view.total} {view.step / view.total:.0%}" if view.total else ""
    saved = "" if view.checkpoint_step is None else f", saved {view.checkpoint_step}"
    old_s = 0.0 if view.step_at is None or view.ended else time.time() - view.step_at
    return f"{view.step}{of}{saved}" + (f", {duration(old_s)} ago" if old_s > STALE_S else "")


def rate_text(rate_per_s: float | None) -> str:
    """Steps per second, minute or hour, whichever makes a number that one can read."""
    if rate_per_s is None:
        return ""
    for factor, unit in ((1.0, "s"), (60.0, "min")):
        if rate_per_s * factor >= 1:
            return f"{rate_per_s * factor:.3g}/{unit}"
    return f"{rate_per_s * 3600:.3g}/h"


def shown_columns(width: int) -> list[str]:
    """The columns for which a terminal of this many characters has room."""
    left_out = next(names for least, names in LEFT_OUT if width >= least)
    return [name for name in COLUMNS if name not in left_out]


def live_table(views: Iterable[JobView], selected: str, width: int) -> Table:
    """The table on a terminal, each job on one line; the selected one stands out."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    names = shown_columns(width)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    for name in names:
        table.add_column(
            name,
            no_wrap=True,
            overflow="ellipsis",
            ratio=1 if name == "last line" else None,
            min_width=9 if name == "cost" else None,
        )
    for view in views:
        style = "reverse" if view.job == selected else STYLES.get(view.state, "")
        row = dict(zip(COLUMNS, cells(view), strict=True))
        table.add_row(*(Text(row[name]) for name in names), style=style)
    return table
