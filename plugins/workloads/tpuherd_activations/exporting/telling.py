"""How far an export is."""

from __future__ import annotations

import sys
from collections.abc import Callable

Tell = Callable[[int], None]
"""Gets how many rows are done."""


def silent(_done: int) -> None:
    """Say nothing."""


class Tenths:
    """Says on standard error when another tenth of the rows is done."""

    def __init__(self, rows: int) -> None:
        """Remember how many rows there are."""
        self._rows, self._said = rows, 0

    def __call__(self, done: int) -> None:
        """See `Tell`."""
        tenths = 10 * done // max(self._rows, 1)
        if tenths > self._said:
            self._said = tenths
            sys.stderr.write(f"  · {done:,} of {self._rows:,} rows\n")
            sys.stderr.flush()
