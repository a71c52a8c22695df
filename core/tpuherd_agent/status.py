"""The state of an attempt, read from its files."""

from __future__ import annotations

from signal import Signals

from tpuherd_agent.devices import holders
from tpuherd_agent.files import read_record
from tpuherd_agent.locks import is_held
from tpuherd_agent.progress import read_progress
from tpuherd_agent.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tpuherd_agent.attempt import Attempt

ENDED = frozenset({"exited", "signalled", "stopped", "lost"})
"""States that an attempt never leaves, but for a `lost` one that is stopped."""


class Status(NamedTuple):
    """What is known about an attempt; times are seconds since the epoch by this worker's clock."""

    attempt: str
    state: str
    """absent, starting, running, exited, signalled, stopped or lost."""
    code: object = None
    """Exit code, or the signal's number."""
    signal: str | None = None
    """Name of the signal that ended it, for example `SIGKILL`."""
    pid: object = None
    started_at: object = None
    ended_at: object = None
    stop_asked_at: object = None
    heartbeat_at: object = None
    preemption_notice_at: object = None
    maintenance: object = ""
    """What the metadata server said of maintenance, for example `PENDING SCHEDULED`."""
    progress: dict[str, int] | None = None
    """What the workload says how far it is."""
    oom_kills: object = None
    """Processes that the kernel killed for want of memory meanwhile; known after a failure."""
    keeper_alive: bool = False
    log_size: int = 0
    problem: object = ""
    """What keeps the keeper from doing its work, for example a full disk."""
    device_holders: list[dict[str, object]] = []  # noqa: RUF012  (a tuple's default, never written to)
    """After the end: processes that still hold a TPU device."""

    @property
    def ended(self) -> bool:
        """True if no process of it is watched any more."""
        return self.state in ENDED


def read_status(attempt: Attempt) -> Status:
    """Reads the state.

    The order matters: a keeper holds its lock from before the marker exists until after the end is recorded.
    """
    marked = attempt.marker.exists()
    deciding = is_held(attempt.lock)
    alive = is_held(attempt.keeper)
    busy = is_held(attempt.stopper)
    process, end, stop = (read_record(path) for path in (attempt.process, attempt.exit, attempt.stop))
    beat = read_record(attempt.keeper)
    stopping = busy and stop and "done_at" not in stop
    if end and not stopping:
        state = "stopped" if _was_stopped(stop, end) else "signalled" if end.get("signal") else "exited"
    elif end:
        state = "running"  # its first process is gone, the `stop` that is at work waits for the others
    elif marked:
        state = "running" if alive and process else "starting" if alive else "lost"
    else:
        state = "stopped" if stop else "starting" if deciding else "absent"
    number = end.get("signal")
    return Status(
        attempt=attempt.identifier,
        state=state,
        code=number or end.get("code"),
        signal=_signal_name(number),
        pid=process.get("pid"),
        started_at=process.get("started_at"),
        ended_at=end.get("ended_at") or (stop.get("asked_at") if state == "stopped" else None),
        stop_asked_at=stop.get("asked_at"),
        heartbeat_at=beat.get("at"),
        preemption_notice_at=read_record(attempt.preemption).get("notice_at"),
        maintenance=read_record(attempt.maintenance).get("text", ""),
        progress=read_progress(attempt),
        oom_kills=end.get("oom_kills"),
        keeper_alive=alive,
        log_size=log_size(attempt),
        problem=beat.get("problem", ""),
        device_holders=[holder._asdict() for holder in holders()] if state in ENDED else [],
    )


def log_size(attempt: Attempt) -> int:
    """Bytes that the workload has printed so far."""
    try:
        return attempt.log.stat().st_size
    except FileNotFoundError:
        return 0


def _signal_name(number: object) -> str | None:
    if not isinstance(number, int):
        return None
    return Signals(number).name if number in set(Signals) else f"signal {number}"


def _was_stopped(stop: dict[str, object], end: dict[str, object]) -> bool:
    asked_at, ended_at = stop.get("asked_at"), end.get("ended_at")
    return isinstance(asked_at, float) and isinstance(ended_at, float) and asked_at <= ended_at
