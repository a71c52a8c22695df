"""Preconditions: what must hold of an object or a bucket for a request to be carried out.

Source: https://cloud.google.com/storage/docs/request-preconditions
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tpuherd_emulator.storage.errors import condition_not_met, invalid, not_modified

if TYPE_CHECKING:
    from collections.abc import Mapping


class Versioned(Protocol):
    """What preconditions look at."""

    @property
    def generation(self) -> int:
        """Grows with each new content."""

    @property
    def metageneration(self) -> int:
        """Grows with each change of the metadata."""

    @property
    def etag(self) -> str:
        """Differs between any two versions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """Everything None holds always. A missing object has generation and metageneration 0."""

    generation_match: int | None = None
    generation_not_match: int | None = None
    metageneration_match: int | None = None
    metageneration_not_match: int | None = None
    etag_match: str | None = None
    etag_not_match: str | None = None

    def check_read(self, found: Versioned) -> None:
        """Check before a read.

        Raises:
            StorageError: 412, a match fails; 304, the reader has this version.
        """
        if self._mismatch(found):
            raise condition_not_met()
        if self._unwanted(found):
            raise not_modified()

    def check_write(self, found: Versioned | None) -> None:
        """Check before a write; None is a missing object.

        Raises:
            StorageError: 412.
        """
        if self._mismatch(found) or self._unwanted(found):
            raise condition_not_met()

    def _mismatch(self, found: Versioned | None) -> bool:
        generation, metageneration, etag = _version(found)
        return (
            self.generation_match not in (None, generation)
            or self.metageneration_match not in (None, metageneration)
            or self.etag_match not in (None, etag, "*" if found else None)
        )

    def _unwanted(self, found: Versioned | None) -> bool:
        generation, metageneration, etag = _version(found)
        return (
            self.generation_not_match == generation
            or self.metageneration_not_match == metageneration
            or (found is not None and self.etag_not_match in (etag, "*"))
        )


ALWAYS = Conditions()


def from_query(query: Mapping[str, str], prefix: str = "if") -> Conditions:
    """Read `ifGenerationMatch` and its kind; `prefix` is `ifSource` for the source of a copy.

    Raises:
        StorageError: 400, a value is no int64.
    """
    return Conditions(
        generation_match=_number(query, prefix + "GenerationMatch"),
        generation_not_match=_number(query, prefix + "GenerationNotMatch"),
        metageneration_match=_number(query, prefix + "MetagenerationMatch"),
        metageneration_not_match=_number(query, prefix + "MetagenerationNotMatch"),
    )


def from_request(query: Mapping[str, str], headers: Mapping[str, str]) -> Conditions:
    """Read the conditions of a request from its query and its headers (XML API, ETags).

    Raises:
        StorageError: 400, a value is no int64.
    """
    asked = from_query(query)
    generation = _number(headers, "x-goog-if-generation-match")
    metageneration = _number(headers, "x-goog-if-metageneration-match")
    return Conditions(
        generation_match=asked.generation_match if generation is None else generation,
        generation_not_match=asked.generation_not_match,
        metageneration_match=asked.metageneration_match if metageneration is None else metageneration,
        metageneration_not_match=asked.metageneration_not_match,
        etag_match=_etag(headers.get("if-match")),
        etag_not_match=_etag(headers.get("if-none-match")),
    )


def generation_of(query: Mapping[str, str], key: str = "generation") -> int | None:
    """The generation that a request names, if it names one.

    Raises:
        StorageError: 400, it is no int64.
    """
    return _number(query, key)


def _version(found: Versioned | None) -> tuple[int, int, str | None]:
    return (found.generation, found.metageneration, found.etag) if found else (0, 0, None)


def _etag(value: str | None) -> str | None:
    return None if value is None else value.strip().strip('"')


def _number(values: Mapping[str, str], key: str) -> int | None:
    text = values.get(key)
    if text is None:
        return None
    try:
        number = int(text)
    except ValueError:
        raise invalid(f"Invalid value {text!r} for {key}: it must be an int64.", key) from None
    if not -(2**63) <= number < 2**63:
        raise invalid(f"Invalid value {text!r} for {key}: it must be an int64.", key)
    return number
