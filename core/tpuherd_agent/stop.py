"""`stop`: until nothing of an attempt is left."""

from __future__ import annotations

import time

from tpuherd_agent import locks, processes
from tpuherd_agent.ending import end_all
from tpuherd_agent.errors import NOT_STOPPED, AgentError
from tpuherd_agent.files import read_record, write_record
from tpuherd_agent.outside import end_outside
from tpuherd_agent.status import Status, read_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tpuherd_agent.attempt import Attempt
    from tpuherd_agent.processes import Process

DEFAULT_GRACE_S = 10.0


def stop(attempt: Attempt, grace_s: float | None) -> Status:
    """Ends all processes of an attempt: TERM, a grace time, KILL; first its session, then those that escaped.

    Safe to repeat, before, during and after anything. An attempt that was not started never will be.

    Args:
        attempt: The attempt, started or not.
        grace_s: Seconds between TERM and KILL for both together, though those that escaped get one second at
            least; `None`: what the spec says.

    Raises:
        AgentError: A process survived, or the keeper did not record the end.
        OSError: The wish to stop could not be recorded; nothing was touched.
    """
    attempt.create()
    with locks.locked(attempt.stopper):
        with locks.locked(attempt.lock):
            _record_wish(attempt)
        record = read_record(attempt.process)
        grace_s = _grace(record) if grace_s is None else grace_s
        deadline = time.monotonic() + grace_s
        end_all(lambda: _session(record), deadline, then=lambda: end_outside(attempt, record))
        end_all(lambda: processes.descendants(attempt), max(deadline, time.monotonic() + min(grace_s, 1.0)))
        _record_end(attempt)
    return read_status(attempt)


def kill(attempt: Attempt) -> Status:
    """Ends all processes of an attempt with KILL at once; it has then died, it was not stopped.

    Safe to repeat. An attempt that was not started may still be.

    Raises:
        AgentError: A process survived, or the keeper did not record the end.
    """
    record = read_record(attempt.process)

    def everything() -> list[Process]:
        return list({*_session(record), *processes.descendants(attempt)})

    if record:
        end_all(everything, time.monotonic(), then=lambda: end_outside(attempt, record))
        _record_end(attempt)
    return read_status(attempt)


def _record_wish(attempt: Attempt) -> None:
    if not attempt.exit.exists() and not attempt.stop.exists():
        write_record(attempt.stop, {"asked_at": time.time()})


def _grace(record: dict[str, object]) -> float:
    grace_s = record.get("grace_s")
    return float(grace_s) if isinstance(grace_s, int | float) else DEFAULT_GRACE_S


def _session(record: dict[str, object]) -> list[Process]:
    pid, ticks = record.get("pid"), record.get("start_ticks")
    this_boot = record.get("boot_id") == processes.boot_id()
    return (
        processes.session(pid, ticks) if this_boot and isinstance(pid, int) and isinstance(ticks, int) else []
    )


def _record_end(attempt: Attempt) -> None:
    """Waits for the keeper's record, or makes it if the keeper is dead."""
    deadline = time.monotonic() + 5
    while locks.is_held(attempt.keeper) and not attempt.exit.exists():
        if time.monotonic() > deadline:
            problem = read_record(attempt.keeper).get("problem") or "it does not answer"
            raise AgentError(
                f"all processes are stopped, but the keeper did not record it: {problem}", NOT_STOPPED
            )
        time.sleep(0.005)
    if attempt.marker.exists() and not attempt.exit.exists():
        write_record(attempt.exit, {"code": None, "ended_at": time.time()})
    stop = read_record(attempt.stop)
    if stop and "done_at" not in stop:
        write_record(attempt.stop, {**stop, "done_at": time.time()})
