"""The keeper: one small process per attempt that outlives the SSH session and sees the workload end."""

from __future__ import annotations

import json
import os
import signal
import time
from contextlib import suppress

from tpuherd_agent import locks, metadata, processes
from tpuherd_agent.attempt import home
from tpuherd_agent.errors import AgentError, describe
from tpuherd_agent.files import create_marker, read_record
from tpuherd_agent.launch import launch
from tpuherd_agent.ledger import Ledger
from tpuherd_agent.memory import oom_kills, oom_kills_since
from tpuherd_agent.notices import Notices
from tpuherd_agent.outside import end_outside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from tpuherd_agent.attempt import Attempt
    from tpuherd_agent.spec import Spec

BEAT_S = 1.0
_BEAT_BYTES = 512


def keep(attempt: Attempt, spec: Spec, lock: int, report: int) -> NoReturn:
    """Starts the workload and stays until its end is on disk.

    Args:
        attempt: Its folder exists, and nothing was started in it.
        spec: What to start; only ever in memory.
        lock: The attempt's lock, held; freed as soon as it is on disk who the workload is.
        report: Pipe to `start`: gets a line that says why nothing was started, and is closed.
    """
    try:
        _detach(attempt, keep_open=(lock, report))
        processes.name_this("tpuherd-keeper")
        keeper = Keeper(attempt)
        if not create_marker(attempt.marker):
            os._exit(0)  # an earlier keeper came this far: never a second start
        pid = keeper.start(spec)
        address = metadata.address(spec.environment)
    except OSError as error:
        os.write(report, describe(error).encode())
        os._exit(1)
    del spec
    locks.release(lock)
    os.close(report)
    keeper.guard(pid, address)
    os._exit(0)


class Keeper:
    """Holds the attempt's keeper lock, for as long as this process lives."""

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt
        self._ledger = Ledger()
        self._file = locks.acquire(attempt.keeper)
        self._write_beat()

    def start(self, spec: Spec) -> int:
        """Starts the workload, and records who it is and the names of its variables."""
        started_at = time.time()
        try:
            pid = launch(self._attempt, spec)
        except OSError:
            self._attempt.marker.unlink()  # nothing was forked: a later start may try again
            raise
        process = processes.find(pid)
        record: dict[str, object] = {
            "pid": pid,
            "start_ticks": process.start_ticks if process else 0,
            "boot_id": processes.boot_id(),
            "started_at": started_at,
            "grace_s": spec.grace_s,
            "oom_kills": oom_kills(),
            "variables": sorted(spec.environment),
            **_outside(spec, self._attempt),
        }
        self._ledger.put(self._attempt.process, record)
        return pid

    def guard(self, pid: int, metadata_address: str) -> None:
        """Waits for the end with one heartbeat per second, and records it."""
        # Blocked here and, by inheritance, in the threads: else a thread could swallow it.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        notices = Notices(self._attempt, self._ledger)
        notices.listen(metadata_address)
        while not self._has_ended(pid):
            self._beat()
            signal.sigtimedwait({signal.SIGCHLD}, BEAT_S)
        while not self._ledger.flush():
            self._beat()
            time.sleep(BEAT_S)
        notices.finish()

    def _has_ended(self, pid: int) -> bool:
        done, status = os.waitpid(pid, os.WNOHANG)
        if not done:
            return False
        code = os.waitstatus_to_exitcode(status)
        outcome: dict[str, object] = {"signal": -code} if code < 0 else {"code": code}
        if code != 0:  # a client that died may have left its container behind
            started = read_record(self._attempt.process)
            outcome["oom_kills"] = oom_kills_since(started.get("oom_kills"))
            with suppress(AgentError, OSError):  # a stop tries again, and says so
                end_outside(self._attempt, started)
        self._ledger.put(self._attempt.exit, {**outcome, "ended_at": time.time()})
        return True

    def _beat(self) -> None:
        self._ledger.flush()
        with suppress(OSError):  # a missing heartbeat says enough
            self._write_beat()

    def _write_beat(self) -> None:
        """Writes the heartbeat over the last one, in place: that works on a full disk, too."""
        record = {
            "at": time.time(),
            "monotonic": time.monotonic(),
            "pid": os.getpid(),
            "problem": self._ledger.problem[:200],
        }
        os.pwrite(self._file, json.dumps(record).ljust(_BEAT_BYTES - 1).encode() + b"\n", 0)


def _outside(spec: Spec, attempt: Attempt) -> dict[str, object]:
    """How to end what is not among the workload's processes; the spec itself is never on the disk."""
    if not spec.end_command:
        return {}
    return {"end_command": spec.end_command, "path": spec.variables(attempt, home())["PATH"]}


def _detach(attempt: Attempt, keep_open: tuple[int, int]) -> None:
    """Leaves everything of the SSH session behind."""
    low, high = sorted(keep_open)
    for first, last in ((3, low), (low + 1, high), (high + 1, os.sysconf("SC_OPEN_MAX"))):
        os.closerange(first, last)
    null = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
    errors = os.open(
        attempt.records / "keeper.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600
    )
    for target, source in ((0, null), (1, null), (2, errors)):
        os.dup2(source, target)
    os.chdir("/")
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # a shutdown ends the workload first: that is worth recording
