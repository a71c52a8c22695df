"""What people started and look at: processes of attempts, and of commands that carry a mark."""

from __future__ import annotations

import os
import time

from tpuherd_agent import processes
from tpuherd_agent.attempt import home
from tpuherd_agent.ending import end_all
from tpuherd_agent.errors import NOT_THERE, AgentError
from tpuherd_agent.records import NamedTuple
from tpuherd_agent.stop import DEFAULT_GRACE_S

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd_agent.processes import Process

EXEC_VARIABLE = "TPUHERD_EXEC_ID"


class Shown(NamedTuple):
    """One process of ours on this worker."""

    pid: int
    attempt: str | None
    """`None`: a command of a person."""
    command: str
    started_at: float
    """Seconds since the epoch by this worker's clock."""
    memory_bytes: int
    """Resident."""
    cpu_s: float
    """Time on the processors."""


def shown() -> list[Shown]:
    """All processes that belong to attempts of this worker or to people's commands on it."""
    booted_at = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    found = ((process, _variables(process.pid)) for process in processes.every())
    return [_show(process, variables, booted_at) for process, variables in found if _is_ours(variables)]


def end_marked(mark: str, grace_s: float | None) -> int:
    """Ends all processes of a person's command; returns how many there were.

    Raises:
        AgentError: One survived.
    """
    pair = f"{EXEC_VARIABLE}={mark}".encode()
    return _end(lambda: [p for p in processes.every() if pair in processes.variables(p.pid)], grace_s)


def end_process(pid: int, grace_s: float | None) -> int:
    """Ends one process that is ours; returns how many ended: 1.

    Raises:
        AgentError: There is none, it is not ours, or it survived.
    """
    process = processes.find(pid)
    if process is None or not _is_ours(_variables(pid)):
        raise AgentError(f"there is no process {pid} that belongs to tpuherd on this worker", NOT_THERE)
    return _end(lambda: [process] if processes.find(pid) == process else [], grace_s)


def _end(find: Callable[[], list[Process]], grace_s: float | None) -> int:
    count = len(find())
    end_all(find, time.monotonic() + (DEFAULT_GRACE_S if grace_s is None else grace_s))
    return count


def _show(process: Process, variables: dict[str, str], booted_at: float) -> Shown:
    ticks = os.sysconf("SC_CLK_TCK")
    cpu_ticks, pages = _use(process.pid)
    return Shown(
        pid=process.pid,
        attempt=variables.get(processes.ID_VARIABLE),
        command=processes.command(process.pid),
        started_at=booted_at + process.start_ticks / ticks,
        memory_bytes=pages * os.sysconf("SC_PAGE_SIZE"),
        cpu_s=cpu_ticks / ticks,
    )


def _use(pid: int) -> tuple[int, int]:
    """Clock ticks on the processors, and resident pages; zeros if it is gone."""
    try:
        text = (processes.PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return 0, 0
    fields = text.rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12]), int(fields[21])


def _variables(pid: int) -> dict[str, str]:
    pairs = (pair.decode(errors="replace").partition("=") for pair in processes.variables(pid))
    return {name: value for name, _, value in pairs}


def _is_ours(variables: dict[str, str]) -> bool:
    """Several workers may share one machine: folders tell whose a process is."""
    own = str(home())
    attempt = variables.get(processes.DIRECTORY_VARIABLE, "")
    by_hand = EXEC_VARIABLE in variables and os.path.realpath(variables.get("HOME", "/")) == own
    return attempt.startswith(f"{own}/.tpuherd/attempts/") or by_hand
