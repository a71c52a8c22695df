"""Tables for people, JSON for scripts, both on standard output."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.table import Table


def print_json(value: object) -> None:
    """Print a value as JSON."""
    sys.stdout.write(json.dumps(value, indent=2, default=str) + "\n")


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows under headings; the widths follow the terminal."""
    from rich.console import Console

    table = make_table(columns, rows)
    console = Console(width=None if sys.stdout.isatty() else 160)
    with console.capture() as text:  # rich itself answers a closed pipe with the exit code of a bug
        console.print(table)
    sys.stdout.write(text.get())


def make_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """Rows under headings, for `rich` to print."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(*columns, box=box.SIMPLE_HEAD, pad_edge=False)
    for row in rows:
        table.add_row(*(Text("" if cell is None else str(cell)) for cell in row))
    return table


def ago(at: float | None) -> str:
    """How long ago a moment was, for example `3 min ago`."""
    return "" if at is None else f"{duration(time.time() - at)} ago"


def duration(seconds: float) -> str:
    """A time span in one unit that fits, for example `45 s`, `12 min`, `3.4 h`."""
    if seconds < 120:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
