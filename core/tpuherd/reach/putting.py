"""A file or folder of this machine to workers: whole on each of them, or not there."""

from __future__ import annotations

import secrets
import tempfile
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from tpuherd.agent.asking import ask
from tpuherd.agent.bundle import bundle, command
from tpuherd.errors import ConfigError
from tpuherd.reach.interruptible import interruptible
from tpuherd.remote import FanOut, RemoteResult
from tpuherd_agent import tarballs

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tpuherd.remote import RemoteWorkers

PART_BYTES = 32 << 20
"""How much of an archive is in memory at a time."""
PART_TIMEOUT_S = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    """What goes where."""

    source: Path
    """A file or folder of this machine."""
    destination: str
    """Path on the workers, relative to the home folder; with `/` at its end: a folder to put it in."""
    replace: bool
    """A folder may take the place of a folder."""

    @property
    def path(self) -> str:
        """Where it appears on the workers."""
        inside = self.destination.endswith("/")
        return f"{self.destination}{self.source.name}" if inside else self.destination

    @property
    def is_folder(self) -> bool:
        """True if the source is a folder."""
        return self.source.is_dir()


def put(remote: RemoteWorkers, workers: Sequence[int], what: Put) -> FanOut:
    """Send it to workers; a worker that has no room, or goes away, does not keep it from the others.

    Raises:
        ConfigError: there is nothing to send.
        KeyboardInterrupt: Ctrl-C; no worker keeps a part of it.
    """
    if not what.source.exists():
        raise ConfigError(f"there is no {what.source}")
    with tempfile.TemporaryFile() as archive:
        tarballs.pack(what.source, archive)
        return _Sending(remote, what, archive).to(workers)


class _Sending:
    def __init__(self, remote: RemoteWorkers, what: Put, archive: IO[bytes]) -> None:
        self._remote = remote
        self._what = what
        self._archive = archive
        self._size = archive.seek(0, 2)
        self._token = secrets.token_hex(8)
        self._ends: dict[int, RemoteResult] = {}

    def to(self, workers: Sequence[int]) -> FanOut:
        replace = ["--replace"] if self._what.replace else []
        folder = ["--folder"] if self._what.is_folder else []
        words = ("room", "--path", self._what.path, "--size", str(self._size), *folder, *replace)
        left = self._those_left(ask(self._remote, workers, *words).ends)
        try:
            with interruptible():
                self._all_parts(left, replace)
        except BaseException:
            ask(self._remote, left, "discard", "--path", self._what.path, "--token", self._token)
            raise
        return FanOut(results=tuple(self._ends[index] for index in sorted(self._ends)))

    def _all_parts(self, left: list[int], replace: list[str]) -> None:
        for offset in range(0, self._size, PART_BYTES):
            left = self._those_left(self._part(left, offset, replace)) if left else left

    def _part(self, workers: Sequence[int], offset: int, replace: list[str]) -> FanOut:
        self._archive.seek(offset)
        data = self._archive.read(PART_BYTES)
        place = ["--path", self._what.path, "--token", self._token]
        numbers = ["--offset", str(offset), "--size", str(len(data))]
        last = ["--last"] if offset + len(data) == self._size else []
        line = command(bundle(), "receive", *place, *numbers, *last, *replace)
        return self._remote.run(line, workers=workers, stdin=data, timeout_s=PART_TIMEOUT_S)

    def _those_left(self, done: FanOut) -> list[int]:
        self._ends |= {result.worker.index: result for result in done.results}
        return [result.worker.index for result in done.succeeded]
