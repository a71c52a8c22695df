"""A record that knows what was looked at: errors of other people's functions can name the key."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any


class Seen(dict[str, Any]):
    """A record; the key that was asked for last is in `last`."""

    last: str | None = None

    def __getitem__(self, key: str) -> Any:
        self.last = key
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        """As of any dict."""
        self.last = key
        return super().get(key, default)

    def why(self, error: Exception) -> str:
        """An error that was raised while somebody used the record, in words."""
        if isinstance(error, KeyError) and self.last is not None and self.last not in self:
            return f"there is no {self.last!r}; there are {', '.join(self)}"
        key = f"key {self.last!r}: " if self.last is not None else ""
        return f"{key}{type(error).__name__}: {error} ({_place(error)})"


def _place(error: Exception) -> str:
    """Where the error was raised, as file and line."""
    *_, frame = traceback.extract_tb(error.__traceback__)
    return f"{Path(frame.filename).name}, line {frame.lineno}"
