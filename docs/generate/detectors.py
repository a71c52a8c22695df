"""The page of detectors, from the tables of all plugins."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from markup import code, note, table

from tpuherd.hooks import GlobalHooks
from tpuherd.manager import make_plugin_manager
from tpuherd.model.detector import Where

if TYPE_CHECKING:
    from tpuherd.model.detector import Detector

HEAD = """
# Detectors

What tpuherd looks for when an attempt has failed, and what it means. `tpuherd detectors` shows the table of
your installation, also with the rows that your plugins and your job file add; `--sample TEXT` shows which
rows match a line. [How failures are recognized](../explanation/failures.md) says what several signs come to.

A row that is a symptom counts only if no other row explains the failure: the death of another worker, or of
the slice, looks like that, too. The number is how sure the row is, up to 1.

"""
COLUMNS = ("id", "pattern", "class", "sure", "what helps", "known from")


def page() -> str:
    """Return the whole page."""
    rows = [row for _, row in GlobalHooks(make_plugin_manager()).detectors()]
    order = list(Where)
    rows.sort(key=lambda row: order.index(row.where))
    parts = [_part(where, list(found)) for where, found in groupby(rows, key=lambda row: row.where)]
    return note("the tables `detectors.toml` of the plugins") + HEAD + "\n".join(parts)


def _part(where: Where, rows: list[Detector]) -> str:
    return f"## {code(where.value)}\n\n" + table(COLUMNS, [_cells(row) for row in rows])


def _cells(row: Detector) -> tuple[str, ...]:
    sure = f"{row.confidence:g}{', symptom' if row.symptom else ''}"
    return (code(row.id), code(row.pattern), row.failure.value, sure, row.action, row.source)
