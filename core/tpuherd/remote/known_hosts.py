"""The file of host keys, in OpenSSH's format, so that the `ssh` client can share it."""

from __future__ import annotations

import fcntl
import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd.errors import RemoteError
from tpuherd.remote.errors import HostKeyChangedError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_NAME = re.compile(r"[A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class KnownHosts:
    """Host keys by the name of node and worker: addresses are reused, VMs that are re-created have new keys.

    Every change is made under a lock and by replacing the file, so that neither threads, nor processes, nor a
    crash can mix lines.
    """

    path: Path

    def keys(self, name: str) -> list[str]:
        """The keys kept for `name`, each as `TYPE BASE64`."""
        return [key for names, _, key in map(_split, self._lines()) if name in names.split(",")]

    def accept(self, name: str, key: str) -> None:
        """Keep the first key of a new worker.

        Raises:
            HostKeyChangedError: another process kept a different key of the same type just before.
        """
        if not _NAME.fullmatch(name):
            raise RemoteError(f"{name!r} cannot be a host key name: letters, digits, '.', '_' and '-' only")
        with self._locked():
            known = self.keys(name)
            if key in known:
                return
            if known:
                raise HostKeyChangedError(self.complaint(name))
            self._write([*self._lines(), f"{name} {key}"])

    def forget(self, node_id: str) -> int:
        """Drop the keys of all workers of a node; returns how many lines went."""
        mine = re.compile(rf"tpu\.{re.escape(node_id)}-\d+")
        with self._locked():
            lines = self._lines()
            kept = [line for line in lines if not mine.fullmatch(_split(line)[0])]
            if len(kept) < len(lines):
                self._write(kept)
        return len(lines) - len(kept)

    def complaint(self, name: str) -> str:
        """What to tell about a key that is not the kept one."""
        return (
            f"the host key of {name} is not the one kept in {self.path}: either the VM was re-created under "
            "the same name, or somebody else answers at its address. If it was re-created, delete the lines "
            f"of {name} from that file and try again"
        )

    def _lines(self) -> list[str]:
        try:
            return self.path.read_text("utf-8").splitlines()
        except FileNotFoundError:
            return []
        except (OSError, UnicodeDecodeError) as error:
            raise RemoteError(f"cannot read the host keys in {self.path}: {error}") from error

    def _write(self, lines: list[str]) -> None:
        fresh = self.path.with_name(self.path.name + ".new")
        fresh.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        fresh.replace(self.path)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.with_name(self.path.name + ".lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                yield
        except OSError as error:
            raise RemoteError(f"cannot write the host keys in {self.path}: {error}") from error


def forget(known_hosts: Path, node_id: str) -> int:
    """Drop the host keys of a node that was deleted or re-created; returns how many lines went."""
    return KnownHosts(known_hosts).forget(node_id)


def _split(line: str) -> tuple[str, str, str]:
    return line.partition(" ")
