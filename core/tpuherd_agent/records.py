"""`typing.NamedTuple` without `typing`: importing that takes a tenth of the time in which an agent starts."""

from __future__ import annotations

import collections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NamedTuple

__all__ = ["NamedTuple"]


class _Record(type):
    """Makes the named tuple that a class body describes by annotations and defaults."""

    def __new__(cls, name: str, _bases: tuple[type, ...], body: dict[str, Any]) -> type:
        fields = body.pop("__annotations__")
        defaults = [body.pop(field) for field in fields if field in body]
        made = _named_tuple(name, fields, defaults=defaults)
        return type(name, (made,), {"__slots__": (), **body})


_named_tuple: Any = collections.namedtuple  # noqa: PYI024 - that is the point
if not TYPE_CHECKING:
    NamedTuple = type.__new__(_Record, "NamedTuple", (), {})
