"""Manifests: what was committed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ..errors import PlaceError
from .documents import from_bytes, to_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file of a shard.

    Attributes:
        name: Below the dataset's folder.
        size_bytes: How long it is.
        crc32c: Its checksum.
    """

    name: str
    size_bytes: int
    crc32c: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A shard that is there whole.

    Attributes:
        part: Its number in the plan.
        stream: The input file.
        first_document: The first document's id.
        documents: How many documents of the input it was made of.
        prompts: How many documents these became; as many, unless a form makes none or several of one.
        rows: How many tokens have activations in it.
        tokens: How many tokens went through the model.
        truncated_documents: How many documents were longer than allowed.
        truncated_tokens: How many tokens of those are missing.
        dropped_tokens: Special tokens that were computed and not kept.
        files: By hook, and `rows` and `sums`.
    """

    part: int
    stream: str
    first_document: int
    documents: int
    prompts: int
    rows: int
    tokens: int
    truncated_documents: int
    truncated_tokens: int
    dropped_tokens: int
    files: Mapping[str, File]

    def to_bytes(self) -> bytes:
        """As JSON."""
        return to_bytes(self.as_values())

    def as_values(self) -> dict[str, Any]:
        """As what JSON can hold."""
        return asdict(self)


COUNTS = (
    "documents",
    "prompts",
    "rows",
    "tokens",
    "truncated_documents",
    "truncated_tokens",
    "dropped_tokens",
)
"""What is added up over shards."""


def from_values(value: Any, where: str) -> Manifest:
    """A manifest of what JSON holds; raises `PlaceError` if something is missing."""
    try:
        files = {name: File(**file) for name, file in value["files"].items()}
        return Manifest(**{**value, "files": files})
    except (KeyError, TypeError, AttributeError) as error:
        raise PlaceError(f"{where}: this is no manifest of this version: {error}") from error


def read(data: bytes, where: str) -> Manifest:
    """A manifest's file; raises `PlaceError`."""
    return from_values(from_bytes(data, where), where)
