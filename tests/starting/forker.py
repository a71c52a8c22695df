"""`python -P forker.py DESCRIPTOR ROOM`: has imported the libraries that tpuherd uses, and forks commands.

A test run starts more than a thousand `tpuherd` processes, and half of the work of each was to import the
same libraries. They are here already; tpuherd's own modules are not, and each command imports them by itself.
A command is a process like any other: it has its own arguments, variables, folder, streams and session, and
/proc shows them.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

LIBRARIES = (
    "fabric",
    "google.cloud.tpu_v2",
    "grpc_status.rpc_status",
    "invoke.program",
    "omegaconf",
    "pluggy",
    "pydantic.plugin._loader",
    "sqlalchemy.dialects.sqlite.pysqlite",
    "sqlite3.dbapi2",
    "yaml",
)
STREAMS = 3


class Forker:
    """Forks until nobody can ask any more; it has one thread, as a process that forks should."""

    def __init__(self, asked: socket.socket) -> None:
        self._asked = asked
        self._running: dict[int, tuple[int, int]] = {}  # by its pidfd: a pid, and where to write how it ended

    def serve(self) -> list[str] | None:
        """Returns in a child, with its command line; and at the end, with none."""
        poller = select.poll()
        poller.register(self._asked, select.POLLIN)
        while True:
            for found, _ in poller.poll():
                if found != self._asked.fileno():
                    poller.unregister(found)
                    self._tell(found)
                    continue
                request, descriptors, _, _ = socket.recv_fds(self._asked, 1 << 20, STREAMS + 1)
                if not request:
                    return None
                pid = os.fork()
                if pid == 0:
                    return become(json.loads(request), descriptors)
                pidfd = os.pidfd_open(pid)
                self._running[pidfd] = (pid, descriptors[STREAMS])
                poller.register(pidfd, select.POLLIN)
                for descriptor in descriptors[:STREAMS]:
                    os.close(descriptor)
                self._asked.send(str(pid).encode())

    def _tell(self, pidfd: int) -> None:
        pid, told = self._running.pop(pidfd)
        os.close(pidfd)
        _, status = os.waitpid(pid, 0)
        with suppress(BrokenPipeError):  # nobody wants to know
            os.write(told, str(os.waitstatus_to_exitcode(status)).encode())
        os.close(told)


def become(request: dict[str, Any], descriptors: list[int]) -> list[str]:
    """Turn this child into the command that was asked for; returns its command line."""
    for wanted, given in enumerate(descriptors[:STREAMS]):
        os.dup2(given, wanted)
    os.closerange(STREAMS, 4096)
    if request["session"]:
        os.setsid()
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    path = request["env"].get("PYTHONPATH", "")
    words: list[str] = request["argv"]
    sys.path[:0] = [str(Path(words[0]).parent), *filter(None, path.split(os.pathsep))]
    show([sys.executable, *words], request["env"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    return words


def show(words: list[str], variables: dict[str, str]) -> None:
    """Let /proc show these; both have room, because this process began with much longer ones."""
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    arguments, environment = fields[45:47], fields[47:49]
    _fill(arguments, words)
    _fill(environment, [f"{name}={value}" for name, value in variables.items()])
    Path("/proc/self/comm").write_text(Path(words[1]).name)


def _fill(place: list[str], texts: list[str]) -> None:
    first, end = map(int, place)
    content = b"".join(os.fsencode(text) + b"\0" for text in texts)
    if len(content) >= end - first:
        raise ValueError(f"no room for {len(content)} bytes: {texts}")
    ctypes.memset(first, 0, end - first)
    ctypes.memmove(first, content, len(content))


def _main() -> list[str] | None:
    for library in LIBRARIES:
        importlib.import_module(library)
    gc.freeze()  # children leave what is here alone, and need not copy it
    return Forker(socket.socket(fileno=int(sys.argv[1]))).serve()


if __name__ == "__main__":
    command = _main()
    if command is not None:
        sys.argv[:] = command
        from tpuherd.cli import main

        sys.exit(main())
