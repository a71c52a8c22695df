"""What the agent says, as values."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any

from tpuherd.errors import WorkloadError
from tpuherd.model.outcome import ExitKind

ENDS = {
    "exited": ExitKind.EXITED,
    "signalled": ExitKind.SIGNALLED,
    "stopped": ExitKind.STOPPED,
    "lost": ExitKind.LOST,
}
"""The agent's words for an end; its other words mean that the workload goes on."""
ABSENT = {"absent": ExitKind.LOST}
"""The same of a workload that was started: the worker has lost its disk meanwhile."""


class AgentProtocolError(WorkloadError):
    """The agent refused, or what came is not from an agent of this version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceHolder:
    """A process with an open TPU device."""

    pid: int
    command: str
    attempt: str | None
    """The attempt that it belongs to; `None`: not started by tpuherd."""
    devices: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The state of an attempt on one worker; times are seconds since the epoch by the worker's clock."""

    attempt: str
    state: str
    """`absent`, `starting`, `running`, `exited`, `signalled`, `stopped` or `lost`."""
    code: int | None = None
    """Exit code, or the signal's number if `signal` is set."""
    signal: str | None = None
    """Name of the signal that ended it, for example `SIGKILL`."""
    pid: int | None = None
    started_at: float | None = None
    ended_at: float | None = None
    stop_asked_at: float | None = None
    heartbeat_at: float | None = None
    preemption_notice_at: float | None = None
    maintenance: str = ""
    """What the metadata server said of maintenance, for example `PENDING SCHEDULED`; empty: nothing."""
    progress: dict[str, int] | None = None
    """What the workload wrote into its progress file: `step`, `total`, `checkpoint_step`, other counts;
    `None`: nothing."""
    oom_kills: int | None = None
    """Processes that the kernel killed for want of memory meanwhile; known after a failure."""
    keeper_alive: bool = False
    log_size: int = 0
    """Bytes."""
    problem: str = ""
    """What keeps the agent from its work, for example a full disk."""
    device_holders: tuple[DeviceHolder, ...] = ()
    """After the end: who still holds a TPU device."""

    @property
    def ended(self) -> bool:
        """True if the workload does not run any more, or nobody watches it."""
        return self.state in ENDS

    @property
    def runs(self) -> bool:
        """True if processes of it run, or are about to."""
        return not self.ended and self.state != "absent"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogChunk:
    """Bytes of the workload's log."""

    offset: int
    """Of the first byte, from the beginning of the log."""
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Beat:
    """The worker and its agent are there."""

    at: float
    """Seconds since the epoch, by the worker's clock."""


Frame = LogChunk | Status | Beat


def parse_status(output: str | bytes) -> Status:
    """Reads what `start`, `status --attempt` or `stop` printed; lines before the last are a login banner.

    Raises:
        AgentProtocolError: It is no status.
    """
    text = output.decode(errors="replace") if isinstance(output, bytes) else output
    lines = text.strip().splitlines()
    try:
        return _status(json.loads(lines[-1]))
    except (LookupError, ValueError, TypeError) as error:
        raise AgentProtocolError(f"the agent answered {text[-200:]!r}, which is no status") from error


def _status(record: dict[str, Any]) -> Status:
    known = {field.name: record[field.name] for field in fields(Status)}
    holders = [
        DeviceHolder(**{**holder, "devices": tuple(holder["devices"])}) for holder in known["device_holders"]
    ]
    return Status(**{**known, "device_holders": tuple(holders)})
