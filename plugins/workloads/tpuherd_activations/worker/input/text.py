"""Text files: each is one document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import InputError
from .source import Mark

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..places import Place
    from .source import Record


class Whole:
    """The record's `text` is the file."""

    def marks(self, place: Place, name: str) -> Iterator[Mark]:
        """See `Source.marks`."""
        yield Mark(0, place.identity(name).size_bytes)

    def records(self, place: Place, name: str, offset: int, count: int) -> Iterator[Record]:  # noqa: ARG002
        """See `Source.records`."""
        with place.open(name) as stream:
            try:
                yield {"text": stream.read().decode()}
            except UnicodeDecodeError as error:
                raise InputError(f"{place.address}/{name}: this is no UTF-8: {error}") from error

    def where(self, place: Place, name: str, offset: int, index: int) -> str:  # noqa: ARG002
        """See `Source.where`."""
        return "the file"
