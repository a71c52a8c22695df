"""`watch`: log, status and heartbeat of an attempt as they come, until its end."""

from __future__ import annotations

import json
import os
import select
import time

from tpuherd_agent import frames
from tpuherd_agent.errors import NOT_THERE, AgentError
from tpuherd_agent.status import Status, log_size, read_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tpuherd_agent.attempt import Attempt

LOOK_S = 0.02
"""How often the log is looked at."""
STATUS_S = 0.1
"""How often everything else is looked at, unless the workload has just ended."""
BEAT_S = 0.5
CHUNK_BYTES = 256 * 1024


def watch(attempt: Attempt, offset: int, out: int) -> None:
    """Sends frames until the attempt has ended and its whole log is sent; the last one is its final status.

    Args:
        attempt: An attempt that has been started.
        offset: Byte of the log to begin with.
        out: Descriptor to write to; if its reader goes away, so does the watch.

    Raises:
        AgentError: The log is shorter than `offset`; sent as a frame, too.
    """
    try:
        _send(out, frames.PREAMBLE)
        require_offset(attempt, offset)
        _Watch(attempt, offset, out).run()
    except BrokenPipeError:
        return
    except AgentError as error:
        failure = {"error": str(error), "code": error.code}
        _send(out, frames.frame(frames.FAILURE, json.dumps(failure).encode()))
        raise


def require_offset(attempt: Attempt, offset: int) -> None:
    """Raises an `AgentError` if the log is shorter than `offset`."""
    size = log_size(attempt)
    if offset > size:
        message = f"offset {offset} is beyond the end of the log of {attempt.identifier} ({size} bytes): "
        raise AgentError(message + "it is another worker's log, or the worker was re-created", NOT_THERE)


class _Watch:
    def __init__(self, attempt: Attempt, offset: int, out: int) -> None:
        self._attempt = attempt
        self._offset = offset
        self._out = out
        self._log: int | None = None
        self._reader = select.poll()
        self._reader.register(out, 0)  # errors and hang-ups are always reported

    def run(self) -> None:
        sent: Status | None = None
        status_due = beat_due = 0.0
        while True:
            now = time.monotonic()
            status = sent
            if now >= status_due or self._attempt.exit.exists():
                status, status_due = read_status(self._attempt), now + STATUS_S
            moved = self._send_log()
            if status and (sent is None or _what_counts(status) != _what_counts(sent)):
                self._send_status(status)
                sent = status
            if status and (status.ended or status.state == "absent"):
                return
            if now >= beat_due:
                self._send(frames.BEAT, frames.TIME.pack(time.time()))
                beat_due = now + BEAT_S
            if not moved and self._reader.poll(LOOK_S * 1000):
                return

    def _send_log(self) -> bool:
        """Sends what is new; the status was read before, so an ended attempt's log is complete after this."""
        if self._log is None:
            try:
                self._log = os.open(self._attempt.log, os.O_RDONLY | os.O_CLOEXEC)
            except FileNotFoundError:
                return False
        first = self._offset
        while data := os.pread(self._log, CHUNK_BYTES, self._offset):
            self._send(frames.LOG, frames.OFFSET.pack(self._offset) + data)
            self._offset += len(data)
        return self._offset > first

    def _send_status(self, status: Status) -> None:
        self._send(frames.STATUS, json.dumps(status._asdict()).encode())

    def _send(self, kind: bytes, payload: bytes) -> None:
        _send(self._out, frames.frame(kind, payload))


def _what_counts(status: Status) -> Status:
    return status._replace(heartbeat_at=None, log_size=0)


def _send(out: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(out, view) :]
