"""The running processes, as /proc shows them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from tpuherd_agent.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tpuherd_agent.attempt import Attempt

PROC = Path("/proc")
ID_VARIABLE = "TPUHERD_ATTEMPT_ID"
DIRECTORY_VARIABLE = "TPUHERD_ATTEMPT_DIR"


class Process(NamedTuple):
    """One process; pids are reused, a pid with its start time is not."""

    pid: int
    group: int
    session: int
    start_ticks: int
    """When it started, in clock ticks since boot."""


def name_this(name: str) -> None:
    """Gives this process the name that `top` and `ps` show: at most 15 characters."""
    with suppress(OSError):
        (PROC / "self" / "comm").write_text(name)


def find(pid: int) -> Process | None:
    """The process of this pid; `None` if there is none, or only its unread exit status is left."""
    fields = _stat(pid)
    if fields[0] in "ZX":
        return None
    return Process(pid, int(fields[2]), int(fields[3]), int(fields[19]))


def parent(pid: int) -> int:
    """The pid of a process's parent; 0 if it is gone."""
    return int(_stat(pid)[1])


def _stat(pid: int) -> list[str]:
    """Its state, its parent and the other fields that `/proc` has; those of a dead one if it is gone."""
    try:
        text = (PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return ["X", "0"]
    return text.rpartition(")")[2].split()  # the name before it may contain spaces and parentheses


def every() -> Iterator[Process]:
    """All processes but this one."""
    for name in os.listdir(PROC):  # noqa: PTH208  (a third of the time of iterdir, and stop polls)
        if name.isdigit() and int(name) != os.getpid():
            process = find(int(name))
            if process:
                yield process


def variables(pid: int) -> list[bytes]:
    """The `NAME=value` pairs that it was started with; empty if it is somebody else's."""
    try:
        return (PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return []


def command(pid: int) -> str:
    """Its command line, cut to 200 characters; empty if it is gone."""
    try:
        words = (PROC / str(pid) / "cmdline").read_bytes().rstrip(b"\0").split(b"\0")
    except OSError:
        return ""
    return b" ".join(words).decode(errors="replace")[:200]


def attempt_of(pid: int) -> str | None:
    """The id of the attempt that it belongs to; `None` if it is none of ours."""
    prefix = f"{ID_VARIABLE}=".encode()
    ids = (pair[len(prefix) :] for pair in variables(pid) if pair.startswith(prefix))
    return next((identifier.decode(errors="replace") for identifier in ids), None)


def descendants(attempt: Attempt) -> list[Process]:
    """All processes of an attempt, wherever they have gone: its variables are inherited.

    Both variables count: where several workers share one machine, they run attempts of the same id.
    """
    marks = {
        f"{ID_VARIABLE}={attempt.identifier}".encode(),
        f"{DIRECTORY_VARIABLE}={attempt.directory}".encode(),
    }
    return [process for process in every() if marks <= set(variables(process.pid))]


def session(leader: int, start_ticks: int) -> list[Process]:
    """All processes of the session, or group, that a process opened: also those that hide their variables.

    Args:
        leader: Pid of the process that opened the session; it may be gone.
        start_ticks: When it started.
    """
    now = find(leader)
    if now and now.start_ticks != start_ticks:
        return []  # the pid is another process's by now, so nothing of the session was left
    return [p for p in every() if leader in (p.session, p.group) and p.start_ticks >= start_ticks]


def boot_id() -> str:
    """Changes when the machine boots; pids and ticks mean nothing beyond."""
    try:
        return (PROC / "sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""
