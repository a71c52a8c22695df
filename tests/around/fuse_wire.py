"""How the kernel's FUSE protocol (7.31) packs what a file system answers."""

from __future__ import annotations

import os
import stat
import struct
import time

CHUNK = 1 << 17
ATTR = struct.Struct("<6Q10I")
KEPT_S = 0
"""The kernel asks again each time: others change the bucket, too."""


def init() -> bytes:
    return struct.pack("<IIIIHHIIHHI7I", 7, 31, 1 << 16, 0, 8, 8, CHUNK, 1, 0, 0, 0, *[0] * 7)


def attributes(number: int, size: int | None) -> bytes:
    """Of a file of this size; `None`: of a folder."""
    mode = stat.S_IFDIR | 0o755 if size is None else stat.S_IFREG | 0o644
    now = int(time.time())
    owner = (os.getuid(), os.getgid())
    return ATTR.pack(number, size or 0, 0, now, now, now, 0, 0, 0, mode, 1, *owner, 0, 4096, 0)


def entry(number: int, size: int | None) -> bytes:
    return struct.pack("<QQQQII", number, 0, KEPT_S, KEPT_S, 0, 0) + attributes(number, size)


def found(number: int, size: int | None) -> bytes:
    return struct.pack("<QII", KEPT_S, 0, 0) + attributes(number, size)


def opened(*, direct: bool) -> bytes:
    return struct.pack("<QII", 0, int(direct), 0)


def space() -> bytes:
    return struct.pack("<5QIIII6I", 1 << 30, 1 << 30, 1 << 30, 0, 0, 4096, 255, 4096, 0, *[0] * 6)


def listing(names: list[tuple[str, int]], offset: int, size: int) -> bytes:
    """Names with their types, from a position on, as many as fit."""
    packed = b""
    for position, (name, kind) in enumerate(names[offset:], start=offset + 1):
        text = name.encode()
        one = struct.pack("<QQII", position + 1000, position, len(text), kind) + text
        one += bytes(-len(one) % 8)
        if len(packed) + len(one) > size:
            break
        packed += one
    return packed
