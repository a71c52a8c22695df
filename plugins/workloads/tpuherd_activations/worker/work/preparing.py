"""Parts become batches, ahead of the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import InputError
from ..input.packing import Batch, Shapes, pack
from ..input.source import source_of
from ..output import layout
from ..output.finishing import committed
from ..output.shard import Shard

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ..claims import Claim, Claims
    from ..input.encoding import Encoded, Encoder
    from ..input.plan import Part
    from .dataset import Dataset


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A part that this process holds, ready to be computed."""

    claim: Claim
    shard: Shard
    batches: list[Batch]
    scratch: str


class Preparer:
    """Claims parts, one after another, and turns their documents into batches."""

    def __init__(
        self, dataset: Dataset, claims: Claims, encoder: Encoder, row_multiple: int, cache: Path, owner: str
    ) -> None:
        self._dataset, self._claims, self._encoder = dataset, claims, encoder
        self._cache, self._owner = cache, owner
        content = dataset.content
        self._shapes = Shapes(
            max_length=content.max_length, batch_tokens=content.batch_tokens, row_multiple=row_multiple
        )

    def open_parts(self, begin: int) -> Iterator[Work]:
        """The parts that are not there and that nobody else holds, from a place in the plan on."""
        parts = self._dataset.plan.parts
        done = committed(self._dataset.place)
        for part in (*parts[begin:], *parts[:begin]):
            if layout.manifest(part.index) in done:
                continue
            claim = self._claims.take(layout.part(part.index))
            if claim is None:
                continue
            if self._dataset.place.find(layout.manifest(part.index)) is not None:  # done since we looked
                self._claims.drop(claim)
                continue
            yield self._work(part, claim)

    def _work(self, part: Part, claim: Claim) -> Work:
        documents = documents_of(self._dataset, part, self._encoder, self._cache)
        place, prefix = self._dataset.place, f"{self._dataset.digest}-{claim.name}-"
        place.sweep(prefix)  # what a killed holder of this part has left on this machine
        scratch = f"{prefix}{self._owner}"
        shard = Shard(part, documents, self._dataset.content.hooks, place.scratch(scratch))
        batches = pack([document.ids for document in documents], self._shapes)
        return Work(claim=claim, shard=shard, batches=batches, scratch=scratch)


def documents_of(
    dataset: Dataset, part: Part, encoder: Encoder, cache: Path, most: int | None = None
) -> list[Encoded]:
    """The documents that the records of a part become, or the first `most` records.

    Raises:
        InputError: a record is not what it should be; file and line are named.
    """
    source, count = source_of(part.stream, cache), min(part.documents, most or part.documents)
    found: list[Encoded] = []
    for index, record in enumerate(source.records(dataset.source, part.stream, part.offset, count)):
        try:
            found += encoder(record, part.first_document + index * part.step)
        except InputError as error:
            where = source.where(dataset.source, part.stream, part.offset, index)
            raise InputError(f"{dataset.source.address}/{part.stream}: {where}: {error}") from error
    return found
