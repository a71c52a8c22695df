"""A FUSE server of one bucket: what the kernel asks, answered from the objects."""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING

import fuse_wire
from fuse_tree import Tree

if TYPE_CHECKING:
    from fuse_objects import Objects

OK, ENOENT, EIO, ENOSYS, EROFS, ENOTEMPTY = 0, 2, 5, 38, 30, 39


class Server:
    """Answers the kernel, one request at a time."""

    def __init__(self, objects: Objects, *, read_only: bool) -> None:
        self.objects = objects
        self.read_only = read_only
        self.tree = Tree()
        self.open: dict[str, bytearray] = {}
        self.changed: set[str] = set()
        self.calls = {
            1: self.lookup, 3: self.getattr, 4: self.setattr, 9: self.mkdir, 10: self.unlink, 11: self.rmdir,
            14: self.open_file, 15: self.read, 16: self.write, 17: self.statfs, 18: self.flush,
            25: self.flush, 27: self.open_folder, 28: self.readdir, 29: self.nothing,
            34: self.nothing, 35: self.create, 38: self.nothing,
        }  # fmt: skip

    def serve(self, device: int) -> None:
        while True:
            try:
                request = os.read(device, 1 << 20)
            except OSError as error:
                if error.errno == 19:  # unmounted
                    return
                continue
            _, code, unique, node = struct.unpack_from("<IIQQ", request)
            if code in {2, 36, 42}:  # forget, interrupt: nobody waits for an answer
                continue
            problem, data = self.answer(code, node, request[40:])
            os.write(device, struct.pack("<IiQ", 16 + len(data), -problem, unique) + data)

    def answer(self, code: int, node: int, body: bytes) -> tuple[int, bytes]:
        if code == 26:
            return OK, fuse_wire.init()
        try:
            found = self.calls[code](self.tree.paths[node], body) if code in self.calls else ENOSYS
        except FileNotFoundError:
            found = ENOENT
        except OSError:
            found = EIO
        return (found, b"") if isinstance(found, int) else (OK, found)

    def size(self, path: str) -> int | None:
        """Of a file; `None` for a folder."""
        if path in self.open:
            return len(self.open[path])
        folder, _, name = path.rpartition("/")
        folders, files = self.objects.children(folder)
        if path == "" or name in folders:
            return None
        if name not in files:
            raise FileNotFoundError
        return files[name]

    def entry(self, path: str) -> bytes:
        return fuse_wire.entry(self.tree.number(path), self.size(path))

    def child(self, path: str, name: bytes) -> str:
        return f"{path}/{name.rstrip(bytes(1)).decode()}".lstrip("/")

    def lookup(self, path: str, body: bytes) -> bytes:
        return self.entry(self.child(path, body))

    def getattr(self, path: str, _body: bytes) -> bytes:
        return fuse_wire.found(self.tree.number(path), self.size(path))

    def setattr(self, path: str, body: bytes) -> bytes | int:
        valid, _, _, size = struct.unpack_from("<IIQQ", body)
        if valid & 8:
            if self.read_only:
                return EROFS
            content = self.content(path)
            content[:] = content[:size].ljust(size, b"\0")
            self.changed.add(path)
        return self.getattr(path, body)

    def mkdir(self, path: str, body: bytes) -> bytes | int:
        if self.read_only:
            return EROFS
        made = self.child(path, body[8:])
        self.objects.write(f"{made}/", b"")
        return self.entry(made)

    def unlink(self, path: str, body: bytes) -> int:
        if self.read_only:
            return EROFS
        self.objects.delete(self.child(path, body))
        return OK

    def rmdir(self, path: str, body: bytes) -> int:
        folder = self.child(path, body)
        if any(self.objects.children(folder)):
            return ENOTEMPTY
        return self.unlink(path, body.rstrip(b"\0") + b"/")

    def content(self, path: str) -> bytearray:
        if path not in self.open:
            self.open[path] = bytearray(self.objects.read(path))
        return self.open[path]

    def open_file(self, path: str, body: bytes) -> bytes | int:
        (flags,) = struct.unpack_from("<I", body)
        if self.read_only and flags & os.O_ACCMODE != os.O_RDONLY:
            return EROFS
        self.content(path)
        return fuse_wire.opened(direct=True)

    def create(self, path: str, body: bytes) -> bytes | int:
        if self.read_only:
            return EROFS
        made = self.child(path, body[16:])
        self.open[made] = bytearray()
        self.changed.add(made)
        return self.entry(made) + fuse_wire.opened(direct=True)

    def read(self, path: str, body: bytes) -> bytes:
        _, offset, size = struct.unpack_from("<QQI", body)
        return bytes(self.content(path)[offset : offset + size])

    def write(self, path: str, body: bytes) -> bytes:
        _, offset, size = struct.unpack_from("<QQI", body)
        content = self.content(path)
        content.extend(bytes(max(0, offset - len(content))))
        content[offset : offset + size] = body[40 : 40 + size]
        self.changed.add(path)
        return struct.pack("<II", size, 0)

    def flush(self, path: str, _body: bytes) -> int:
        content = self.open.pop(path, None)
        if content is not None and path in self.changed:
            self.changed.discard(path)
            self.objects.write(path, bytes(content))
        return OK

    def statfs(self, _path: str, _body: bytes) -> bytes:
        return fuse_wire.space()

    def open_folder(self, _path: str, _body: bytes) -> bytes:
        return fuse_wire.opened(direct=False)

    def readdir(self, path: str, body: bytes) -> bytes:
        _, offset, size = struct.unpack_from("<QQI", body)
        folders, files = self.objects.children(path)
        listed = [(name, 4) for name in (".", "..", *sorted(folders))] + [(name, 8) for name in sorted(files)]
        return fuse_wire.listing(listed, offset, size)

    def nothing(self, _path: str, _body: bytes) -> int:
        return OK
