"""Buckets that tpuherd has mounted: a folder about each has its path and the command that mounts it again."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from pathlib import Path

from tpuherd_agent import locks, processes
from tpuherd_agent.attempt import home
from tpuherd_agent.errors import NOT_STOPPED, AgentError
from tpuherd_agent.records import NamedTuple

ANSWER_S = 5.0
MOUNT_S = 60.0
UNMOUNT_TRIES = 5


class Mounted(NamedTuple):
    """One of our mounts."""

    path: str
    state: str
    """`ok`, `broken` (its server has gone) or `missing` (nothing is mounted)."""


def mounts() -> list[Mounted]:
    """Our mounts on this worker, by the name of the folder about each."""
    return [_look(own) for own in _folders()]


def remount() -> list[str]:
    """Mounts again what is broken or missing; returns the paths.

    Raises:
        AgentError: One cannot be unmounted or mounted.
    """
    folders = _folders()
    if not folders:
        return []
    with locks.locked(folders[0].parent / "lock"):
        ailing = [(own, found) for own in folders if (found := _look(own)).state != "ok"]
        for own, found in ailing:
            _unmount(found.path)
            _mount(own, found.path)
    return [found.path for _, found in ailing]


def answers(path: str) -> bool:
    """Whether a folder can be looked at; in a process of its own, because such a look may never end."""
    try:
        done = subprocess.run(["stat", "--", path], capture_output=True, timeout=ANSWER_S, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def mounted(path: str) -> bool:
    """Whether something is mounted at a path, by the kernel's table: a look at a dead mount fails."""
    rows = (row.split() for row in (processes.PROC / "self" / "mounts").read_text().splitlines())
    return any(fields[1].encode().decode("unicode_escape") == path for fields in rows)


def _folders() -> list[Path]:
    return sorted(path.parent for path in (home() / ".tpuherd" / "mounts").glob("*/path"))


def _look(own: Path) -> Mounted:
    path = (own / "path").read_text().strip()
    if not mounted(path):
        return Mounted(path, "missing")
    return Mounted(path, "ok" if answers(path) else "broken")


def _unmount(path: str) -> None:
    """Lazily: who still has something open there gets errors anyway."""
    lazily = (["fusermount3", "-uz"], ["fusermount", "-uz"], ["umount", "--lazy"])
    for _ in range(UNMOUNT_TRIES):
        for way in (*lazily, ["sudo", "-n", "umount", "--lazy"]):
            if not mounted(path):
                return
            _run([*way, path], subprocess.DEVNULL)
    if mounted(path):
        message = f"{path} cannot be unmounted"
        raise AgentError(message, NOT_STOPPED)


def _mount(own: Path, path: str) -> None:
    """Its output goes to a file: the server that it leaves behind may keep a pipe open for ever."""
    Path(path).mkdir(parents=True, exist_ok=True)
    with (own / "output").open("wb") as output:
        _run([str(own / "mount")], output.fileno())
    if not (mounted(path) and answers(path)):
        said = (own / "output").read_text(errors="replace").strip()[-500:]
        message = f"{path} cannot be mounted again: {said or 'it says nothing'}"
        raise AgentError(message, NOT_STOPPED)


def _run(words: list[str], output: int) -> None:
    """Run a program; what came of it is seen by the mounts, also if there is no such program."""
    with suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            timeout=MOUNT_S,
            check=False,
        )
