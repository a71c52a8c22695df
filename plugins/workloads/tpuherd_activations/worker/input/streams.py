"""`create-streams`: documents spread over N files, `stream_000.jsonl` …, so that N workers have one each.

Document i is line i // N of stream i % N. How many streams there are is kept beside them, so that ids stay
those of the documents' order before.
"""

from __future__ import annotations

import json
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from ..errors import InputError
from ..places.checksums import identity_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..places import Place
    from .source import Record

COUNTS = "streams.json"


def stream_name(index: int) -> str:
    """Of a stream."""
    return f"stream_{index:03d}.jsonl"


def create_streams(records: Iterable[Record], count: int, target: Place) -> int:
    """Spread documents over new files; returns how many there were.

    Raises:
        InputError: no streams were asked for, or there are streams already.
    """
    if count < 1:
        raise InputError(f"streams: expected 1 or more, got {count}")
    if any(name.startswith("stream") for name in target.names()):
        raise InputError(f"{target.address}: there are streams already; choose another folder")
    return put_streams(records, count, target)


def put_streams(records: Iterable[Record], count: int, target: Place) -> int:
    """The same, also if some or all of these streams are there already; returns how many documents there are.

    Raises:
        PlaceError: there are other streams of these names.
    """
    scratch = f"streams-{uuid4().hex}"
    folder, there = target.scratch(scratch), set(target.names())
    try:
        documents = _spread(records, [folder / stream_name(index) for index in range(count)])
        for index in range(count):
            _put(folder / stream_name(index), target, there)
        target.create(COUNTS, json.dumps({"streams": count, "documents": documents}).encode())
    finally:
        target.sweep(scratch)
    return documents


def holds_streams(target: Place, records: Iterable[Record], count: int) -> bool:
    """Whether a place has just these documents in so many streams; nothing is written there."""
    names = [stream_name(index) for index in range(count)]
    if not set(target.names()).issuperset(names):
        return False
    with tempfile.TemporaryDirectory(prefix="tpuherd-activations-") as scratch:
        files = [Path(scratch) / name for name in names]
        _spread(records, files)
        return {file.name: identity_of(file) for file in files} == target.identities(names)


def _put(file: Path, target: Place, there: set[str]) -> None:
    identity = identity_of(file)
    if file.name not in there or target.identity(file.name) != identity:
        target.deliver(file.name, file, identity)


def _spread(records: Iterable[Record], files: list[Path]) -> int:
    documents = 0
    with ExitStack() as stack:
        streams = [stack.enter_context(file.open("w", encoding="utf-8")) for file in files]
        for record in records:
            line = _line(record, documents)
            streams[documents % len(streams)].write(f"{line}\n")
            documents += 1
    return documents


def _line(record: Record, number: int) -> str:
    try:
        return json.dumps(record, ensure_ascii=False)
    except TypeError as error:  # a table may hold times and bytes
        raise InputError(f"document {number}: {error}; streams are JSON, leave that column out") from error


def numbering(place: Place, names: list[str]) -> dict[str, tuple[int, int]]:
    """First id and step by stream, if the place was made by `create_streams`."""
    about = place.find(COUNTS)
    if about is None:
        return {}
    count = int(json.loads(about)["streams"])
    known = {stream_name(index): (index, count) for index in range(count)}
    if set(names) != set(known):
        raise InputError(f"{place.address}: {COUNTS} tells of {count} streams, there are {len(names)} files")
    return known
