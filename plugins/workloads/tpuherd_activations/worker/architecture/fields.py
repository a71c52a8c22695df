"""The keys of a `config.json`, with messages that name the file and the key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Fields:
    """Some keys of a file.

    Attributes:
        file: Named in messages.
        values: The keys, as JSON gave them.
        parent: The key under which they stand, with a dot after it; empty at the top.
    """

    file: str
    values: Mapping[str, Any]
    parent: str = ""

    def has(self, key: str) -> bool:
        """Whether the key stands there with a value."""
        return self.values.get(key) is not None

    def whole(self, key: str, default: int | None = None) -> int:
        """A whole number above zero."""
        value = self._given(key, default)
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float))
            or value <= 0
            or value != int(value)
        ):
            raise self.wrong(key, "a whole number above zero", value)
        return int(value)

    def number(self, key: str, default: float | None = None) -> float:
        """A number above zero."""
        value = self._given(key, default)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0:
            raise self.wrong(key, "a number above zero", value)
        return float(value)

    def flag(self, key: str, *, default: bool) -> bool:
        """True or false."""
        value = self._given(key, default)
        if not isinstance(value, bool):
            raise self.wrong(key, "true or false", value)
        return value

    def text(self, key: str, default: str | None = None) -> str:
        """A string."""
        value = self._given(key, default)
        if not isinstance(value, str):
            raise self.wrong(key, "a string", value)
        return value

    def below(self, key: str) -> Fields:
        """The keys of the mapping under a key; none if it is absent."""
        value = self.values.get(key)
        if value is None:
            value = {}
        if not isinstance(value, dict):
            raise self.wrong(key, "a mapping", value)
        return Fields(self.file, value, f"{self.parent}{key}.")

    def wrong(self, key: str, expected: str, got: object) -> ConfigurationError:
        """What to raise where a value is not what it has to be."""
        return ConfigurationError(f"{self.file}: {self.parent}{key}: expected {expected}, got {got!r}")

    def _given(self, key: str, default: object) -> object:
        value = self.values.get(key)
        if value is not None:
            return value
        if default is None:
            raise ConfigurationError(f"{self.file}: {self.parent}{key} is missing")
        return default
