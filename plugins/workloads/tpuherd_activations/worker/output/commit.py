"""A shard becomes part of the dataset: its files first, then its manifest, which is what counts."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from ..errors import PlaceError
from . import layout, manifest
from .manifest import File, Manifest

if TYPE_CHECKING:
    from ..places import Place
    from .shard import Shard, Written

AT_ONCE = 8
"""Files that are uploaded side by side."""


def commit(place: Place, shard: Shard) -> Manifest:
    """Deliver a shard's files, then say that it is there; returns the manifest that counts.

    May be repeated, and be done by several: the first manifest wins, and names files that nobody replaces.

    Raises:
        PlaceError: a file did not arrive.
    """
    files = shard.finish()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        named = dict(pool.map(lambda file: _delivered(place, shard.part.index, file), files))
    mine = _manifest(shard, named)
    name = layout.manifest(shard.part.index)
    if place.create(name, mine.to_bytes()):
        return mine
    found = place.find(name)
    if found is None:
        raise PlaceError(f"{place.address}/{name}: it has just been there; is somebody removing the dataset?")
    return manifest.read(found, name)


def _delivered(place: Place, part: int, file: Written) -> tuple[str, File]:
    name = layout.shard_file(part, file.what, file.identity.crc32c)
    place.deliver(name, file.path, file.identity)
    return file.what, File(name=name, size_bytes=file.identity.size_bytes, crc32c=file.identity.crc32c)


def _manifest(shard: Shard, files: dict[str, File]) -> Manifest:
    documents = shard.documents
    tokens = sum(len(document.ids) for document in documents)
    return Manifest(
        part=shard.part.index,
        stream=shard.part.stream,
        first_document=shard.part.first_document,
        documents=shard.part.documents,
        prompts=len(documents),
        rows=shard.rows,
        tokens=tokens,
        truncated_documents=sum(document.truncated > 0 for document in documents),
        truncated_tokens=sum(document.truncated for document in documents),
        dropped_tokens=tokens - shard.rows,
        files=files,
    )
