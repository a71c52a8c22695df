"""Read TensorBoard's event files: TFRecord framing around `Event` messages.

Only the few fields that the harness writes are decoded, by hand: importing TensorFlow for that costs seconds.
Sources: `event.proto`, `summary.proto` and `tensor.proto` of TensorFlow.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_FORMATS = {1: "<f", 2: "<d", 3: "<i", 9: "<q"}
"""struct formats of the tensor types DT_FLOAT, DT_DOUBLE, DT_INT32 and DT_INT64."""
_DT_STRING = 7
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
Field = tuple[int, "int | bytes"]


@dataclass(frozen=True)
class Point:
    """One value of one tag."""

    step: int
    tag: str
    value: float | str


class TruncatedError(Exception):
    """The file ends in the middle of a record: its writer was killed."""


def points(data: bytes) -> Iterator[Point]:
    """Yield the scalars and texts of an event file.

    Raises:
        TruncatedError: After the last complete record, if something follows it.
    """
    for record in _records(data):
        event = dict(_fields(record))
        step = event.get(2, 0)
        for number, value in _fields(_as_bytes(event.get(5, b""))):
            if number == 1 and (point := _point(_as_int(step), dict(_fields(_as_bytes(value))))):
                yield point


def _records(data: bytes) -> Iterator[bytes]:
    """Split by length, checksum, payload, checksum.

    The checksums (CRC-32C, not in the standard library) are not verified: a killed writer leaves less.
    """
    at = 0
    while at < len(data):
        header = data[at : at + 12]
        length = int.from_bytes(header[:8], "little")
        if len(header) < 12 or at + 16 + length > len(data):
            raise TruncatedError
        yield data[at + 12 : at + 12 + length]
        at += 16 + length


def _fields(message: bytes) -> Iterator[Field]:
    """Yield field number and raw value of a protobuf message (protobuf.dev/programming-guides/encoding)."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        kind = key & 7
        if kind == _VARINT:
            value, at = _varint(message, at)
            yield key >> 3, value
            continue
        length = {_FIXED64: 8, _FIXED32: 4}.get(kind)
        if kind == _BYTES:
            length, at = _varint(message, at)
        if length is None:
            raise ValueError(f"protobuf wire type {kind} is not known")
        yield key >> 3, message[at : at + length]
        at += length


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def _point(step: int, value: dict[int, int | bytes]) -> Point | None:
    tag = _as_bytes(value.get(1, b"")).decode()
    if 2 in value:
        return Point(step, tag, struct.unpack("<f", _as_bytes(value[2]))[0])
    content = _tensor(dict(_fields(_as_bytes(value.get(8, b"")))))
    return None if content is None else Point(step, tag, content)


def _tensor(tensor: dict[int, int | bytes]) -> float | str | None:
    """Return the only element of a tensor: from `tensor_content`, or from its typed field."""
    kind = tensor.get(1)
    if kind == _DT_STRING and 8 in tensor:
        return _as_bytes(tensor[8]).decode(errors="replace")
    form = _FORMATS.get(_as_int(kind or 0))
    content = tensor.get(4) or tensor.get(5) or tensor.get(6)
    if form is None or content is None or len(_as_bytes(content)) != struct.calcsize(form):
        return None
    return float(struct.unpack(form, _as_bytes(content))[0])


def _as_int(value: int | bytes) -> int:
    if not isinstance(value, int):
        raise TypeError("a number was expected in an event file")
    return value


def _as_bytes(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise TypeError("a message was expected in an event file")
    return value
