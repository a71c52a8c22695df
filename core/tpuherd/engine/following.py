"""Following one worker's workload: its log is appended to a local file, which is also the place to resume."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, BinaryIO

from tpuherd.agent.answers import LogChunk, Status
from tpuherd.engine.lines import LineSplitter
from tpuherd.engine.log_times import TimeMarks
from tpuherd.errors import Cancelled, RemoteError
from tpuherd.model.outcome import ExitKind, WorkerExit

if TYPE_CHECKING:
    from pathlib import Path

    from tpuherd.agent.client import Agents
    from tpuherd.model.allocation import Worker
    from tpuherd.model.job import Job

LOST_AFTER_S = 30.0
"""A worker that does not answer for this long is given up."""
RECONNECT_S = 0.5
TAIL_BYTES = 4000
ENDS = {
    "exited": ExitKind.EXITED,
    "signalled": ExitKind.SIGNALLED,
    "stopped": ExitKind.STOPPED,
    "lost": ExitKind.LOST,
}
"""The agent's words for an end; its other words mean that the workload goes on."""


class Follower:
    """Follows one worker until its workload has ended and its log is complete here."""

    def __init__(self, job: Job, agents: Agents, worker: Worker) -> None:
        """Keep the parts; `run` does the work."""
        self.worker = worker
        self._job = job
        self._agents = agents
        self._log = log_file(job.attempt_directory, worker.index)
        self._times = TimeMarks(self._log)
        self._lines = LineSplitter(lambda line: job.session.reporter.worker_line(worker.name, line))
        self._abandoned = threading.Event()
        self._heard_at = time.monotonic()
        self._silent = False

    def abandon(self) -> None:
        """Stop following; the workload is not touched."""
        self._abandoned.set()

    def run(self) -> WorkerExit:
        """Follow to the end, over as many connections as it takes."""
        while time.monotonic() - self._heard_at < LOST_AFTER_S:
            try:
                end = self._follow_once()
            except RemoteError as error:
                self._note_silence(error)
            else:
                if end is not None:
                    return end
            if self._abandoned.wait(RECONNECT_S):
                raise Cancelled("no longer followed")
        return self._exit(ExitKind.LOST, None, time.time())

    def _note_silence(self, error: RemoteError) -> None:
        """Once until it is heard again."""
        if not self._silent:
            self._job.session.note(f"{self.worker.name}: connection lost, trying again ({error})")
        self._silent = True

    def _follow_once(self) -> WorkerExit | None:
        """Follow over one connection; the local file's size says how far we are."""
        offset = self._log.stat().st_size if self._log.exists() else 0
        last: Status | None = None
        with self._log.open("ab") as file:
            for frame in self._agents.watch(self.worker.index, self._job.attempt_id, offset):
                self._heard_at, self._silent = time.monotonic(), False
                if isinstance(frame, LogChunk):
                    offset = self._append(file, frame, offset)
                elif isinstance(frame, Status):
                    last = frame
                if self._abandoned.is_set():
                    raise Cancelled("no longer followed")
        self._lines.flush()
        return self._end(last) if last else None

    def _append(self, file: BinaryIO, chunk: LogChunk, offset: int) -> int:
        """Append what is new in a chunk; after a reconnect it may overlap with what is here."""
        fresh = chunk.data[max(0, offset - chunk.offset) :]
        self._times.mark(offset)
        file.write(fresh)
        file.flush()
        self._lines.feed(fresh)
        return offset + len(fresh)

    def _end(self, status: Status) -> WorkerExit | None:
        kind = ENDS.get(status.state)
        return self._exit(kind, status.code, status.ended_at or time.time()) if kind else None

    def _exit(self, kind: ExitKind, code: int | None, ended_at: float) -> WorkerExit:
        end = WorkerExit(worker=self.worker.index, kind=kind, code=code, ended_at=ended_at)
        if not end.failed:
            return end
        tail = log_tail(self._log)
        return WorkerExit(worker=end.worker, kind=kind, code=code, ended_at=ended_at, log_tail=tail)


def log_file(attempt_directory: Path, worker: int) -> Path:
    """Where a worker's log is kept on this machine."""
    return attempt_directory / f"worker-{worker}.log"


def log_tail(path: Path) -> str:
    """The last lines of a log, at most `TAIL_BYTES`, starting at a line's start if there is one."""
    if not path.exists():
        return ""
    with path.open("rb") as file:
        left_out = file.seek(max(0, path.stat().st_size - TAIL_BYTES))
        text = file.read().decode(errors="replace")
    whole_lines = text.partition("\n")[2]
    return (whole_lines if left_out and whole_lines else text).rstrip()
