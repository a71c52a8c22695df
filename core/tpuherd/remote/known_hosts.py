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
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_KEY = re.compile(r"[A-Za-z0-9@._-]+ [A-Za-z0-9+/]+={0,2}")


@dataclass(frozen=True, slots=True)
class KnownHosts:
    """Host keys by the name of node and worker: addresses are reused, VMs that are re-created have new keys.

    Every change is made under a lock and by replacing the file, so that neither threads, nor processes, nor a
    crash can mix lines.
    """

    path: Path

    def keys(self, name: str) -> list[str]:
        """The keys kept for `name`, each as `TYPE BASE64`."""
        about = (line for line in self._lines() if name in line)  # most are about others
        return [key for names, _, key in map(_split, about) if name in names.split(",")]

    def accept(self, name: str, key: str) -> None:
        """Keep the first key of a new worker.

        Raises:
            HostKeyChangedError: another process kept a different key of the same type just before.
        """
        _check(name, [key])
        with self._locked():
            known = self.keys(name)
            if key in known:
                return
            if known:
                raise HostKeyChangedError(self.complaint(name))
            self._write([*self._lines(), f"{name} {key}"])

    def pin(self, name: str, keys: Sequence[str]) -> None:
        """Keep exactly the keys that the cloud tells of a worker, whatever it will show itself.

        Args:
            name: of the worker.
            keys: each as `TYPE BASE64`.

        Raises:
            HostKeyChangedError: none of them is the one that was seen at a first connection.
        """
        _check(name, keys)
        with self._locked():
            known = self.keys(name)
            if known and not set(known) & set(keys):
                raise HostKeyChangedError(self.complaint(name))
            others = [line for line in self._lines() if name not in _split(line)[0].split(",")]
            self._write([*others, *(f"{name} {key}" for key in keys)])

    def forget(self, node_id: str) -> int:
        """Drop the keys of all workers of all incarnations of a node; returns how many lines went."""
        mine = re.compile(rf"tpu\.{re.escape(node_id)}(\.\w+)?-\d+")
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


def _check(name: str, keys: Sequence[str]) -> None:
    """Let nothing into the file that would be more than one line, or a line about another host."""
    if not _NAME.fullmatch(name):
        raise RemoteError(f"{name!r} cannot be a host key name: letters, digits, '.', '_' and '-' only")
    for key in keys:
        if not _KEY.fullmatch(key):
            raise RemoteError(f"{key!r} cannot be a host key of {name}: it is not of the form TYPE BASE64")


def _split(line: str) -> tuple[str, str, str]:
    return line.partition(" ")
