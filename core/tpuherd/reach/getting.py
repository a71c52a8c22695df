"""A file or folder of workers to this machine: whole, or not there."""

from __future__ import annotations

import secrets
import tempfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING

from tpuherd.agent.asking import ask
from tpuherd.agent.bundle import bundle, command
from tpuherd.errors import RemoteError
from tpuherd.remote.parallel import in_parallel
from tpuherd_agent import tarballs
from tpuherd_agent.errors import AgentError
from tpuherd_agent.placing import place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.remote import RemoteWorkers

LOOK_TIMEOUT_S = 120.0
"""Counting the files of a large folder takes a while."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Got:
    """What came from one worker."""

    worker: int
    path: Path | None
    """Where it is here; `None` if it did not come."""
    error: str = ""
    """Why it did not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Get:
    """What goes where."""

    source: str
    """Path on the workers; relative ones start at the home folder."""
    folder: Path
    """Folder of this machine."""
    replace: bool
    """A folder may take the place of a folder."""

    def target(self, worker: int, count: int) -> Path:
        """Where it appears: of several workers, each has a folder."""
        name = PurePosixPath(self.source).name
        return self.folder / f"w{worker}" / name if count > 1 else self.folder / name


def get(remote: RemoteWorkers, workers: Sequence[int], what: Get) -> list[Got]:
    """Bring it from workers, at the same time; what does not come is said for each of them.

    Raises:
        KeyboardInterrupt: Ctrl-C; nothing half-done stays here.
    """
    looked = ask(remote, workers, "look", "--path", what.source, timeout_s=LOOK_TIMEOUT_S)
    missing = [
        Got(worker=end.worker.index, path=None, error=f"{end.ending} {end.log_tail}".strip())
        for end in looked.ends.failed
    ]
    there = list(looked.by_worker)
    archives = in_parallel(lambda worker: _fetch(remote, worker, what.source), there)
    came = [
        _unpacked(worker, archive, what.target(worker, len(workers)), replace=what.replace)
        for worker, archive in zip(there, archives, strict=True)
    ]
    return sorted([*missing, *came], key=lambda one: one.worker)


def _fetch(remote: RemoteWorkers, worker: int, source: str) -> IO[bytes] | str:
    """The archive in a file that nobody sees, or why it did not come."""
    archive = tempfile.TemporaryFile()  # noqa: SIM115 - closed by whoever unpacks it
    try:
        with remote.open_stream(worker, command(bundle(), "send", "--path", source)) as stream:
            for chunk in stream:
                archive.write(chunk)
    except (OSError, RemoteError) as error:
        archive.close()
        return str(error)
    if stream.exit_code != 0:
        archive.close()
        return stream.stderr.strip() or f"failed: exit {stream.exit_code}"
    archive.seek(0)
    return archive


def _unpacked(worker: int, archive: IO[bytes] | str, target: Path, *, replace: bool) -> Got:
    if isinstance(archive, str):
        return Got(worker=worker, path=None, error=archive)
    try:
        with archive:
            place(archive, target, secrets.token_hex(8), tarballs.UNTRUSTED, replace=replace)
    except (AgentError, OSError) as error:
        return Got(worker=worker, path=None, error=str(error))
    return Got(worker=worker, path=target)
