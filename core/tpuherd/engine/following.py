"""Following one worker's workload to its end, over as many connections as it takes."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from typing import TYPE_CHECKING

from tpuherd.agent.answers import ABSENT, ENDS, Beat, LogChunk, Status
from tpuherd.engine.local_log import LocalLog, log_file
from tpuherd.errors import Cancelled, RemoteError
from tpuherd.model.outcome import ExitKind, WorkerExit
from tpuherd.observing.reporting import Reports
from tpuherd.observing.sighting import Sighting
from tpuherd.observing.silence import LOST_AFTER_S

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tpuherd.agent.answers import Frame
    from tpuherd.agent.client import Agents
    from tpuherd.model.allocation import Worker
    from tpuherd.model.job import Job

RECONNECT_S = 0.5


class Follower:
    """Follows one worker until its workload has ended and its log is complete here."""

    def __init__(self, job: Job, agents: Agents, worker: Worker, reports: Reports | None = None) -> None:
        """Keep the parts; `start` does the work."""
        self.worker = worker
        self.end: Future[WorkerExit] = Future()
        """Done when the workload has ended there, or is given up."""
        self.sighting = Sighting(worker.index, job.attempt_id, reports or Reports())
        self.patience_s = LOST_AFTER_S
        """How long its silence is borne; whoever sees more than this worker may change it."""
        self.deserted = False
        """True if the worker answers, and says that nobody there watches the workload: it may still run."""
        self.log = LocalLog(log_file(job.attempt_directory, worker.index), self._line, self._bear_full_disk)
        self._begun: Iterator[Frame] | None = None
        self._job = job
        self._agents = agents
        self._abandoned = threading.Event()
        self._settling = threading.Lock()
        self._heard_at = time.monotonic()
        self._silent = False

    @property
    def silent_s(self) -> float:
        """Seconds since the last sign of life, or since the start."""
        return time.monotonic() - self._heard_at

    def excuse(self, seconds: float) -> None:
        """Some of its silence was ours."""
        self._heard_at += min(seconds, self.silent_s)

    def start(self, begun: Iterator[Frame] | None = None) -> None:
        """Follow in a thread of its own, which keeps no process alive.

        Args:
            begun: what the agent that started it sends; without it, and when that has ended, it is asked to
                watch.
        """
        self._begun = begun
        name = f"follow {self.worker.name}"
        threading.Thread(target=self._run_and_settle, name=name, daemon=True).start()

    def abandon(self) -> None:
        """Stop following; the workload is not touched."""
        self._abandoned.set()

    def lose(self) -> None:
        """Give the worker up, whatever its connection waits for; this end counts, not that of the thread."""
        self._settle(self._lost())
        self.abandon()

    def run(self) -> WorkerExit:
        """Follow to the end in this thread."""
        while self.silent_s < self.patience_s:
            try:
                end = self._follow_once()
            except RemoteError as error:
                self._note_silence(error)
            else:
                if end is not None:
                    return end
            if self._abandoned.wait(RECONNECT_S):
                raise Cancelled("no longer followed")
        return self._lost()

    def _run_and_settle(self) -> None:
        try:
            self._settle(self.run())
        except BaseException as error:  # noqa: BLE001 - raised again where the end is asked for
            with self._settling:
                if not self.end.done():
                    self.end.set_exception(error)

    def _settle(self, end: WorkerExit) -> None:
        with self._settling:
            if not self.end.done():
                self.end.set_result(end)

    def _line(self, line: str) -> None:
        self.sighting.line(line)
        self._job.session.reporter.worker_line(self.worker.name, line)

    def _bear_full_disk(self, error: OSError) -> None:
        """It is heard as before; only what it says cannot be kept for now."""
        if self._abandoned.is_set():
            raise Cancelled("no longer followed")
        if not self._silent:
            self._job.session.note(f"{self.worker.name}: its log waits for room on the disk here ({error})")
        self._silent, self._heard_at = True, time.monotonic()

    def _note_silence(self, error: RemoteError) -> None:
        """Once until it is heard again."""
        if not self._silent and not self._abandoned.is_set():
            self._job.session.note(f"{self.worker.name}: connection lost, trying again ({error})")
        self._silent = True

    def _follow_once(self) -> WorkerExit | None:
        """Follow over one connection, from where the log here ends."""
        last: Status | None = None
        begun, self._begun = self._begun, None
        for frame in begun or self._agents.watch(self.worker.index, self._job.attempt_id, self.log.size):
            if self._abandoned.is_set():
                raise Cancelled("no longer followed")
            self._hear(frame)
            last = frame if isinstance(frame, Status) else last
        self.log.flush()
        kind = (ENDS | ABSENT).get(last.state) if last else None
        self.deserted = kind is ExitKind.LOST
        return self._exit(kind, last.code, last.ended_at) if kind and last else None

    def _hear(self, frame: Frame) -> None:
        self._heard_at, self._silent = time.monotonic(), False
        self.sighting.heard()
        if isinstance(frame, LogChunk):
            self.log.append(frame.offset, frame.data)
            self.sighting.printed()
        elif isinstance(frame, Beat):
            self.sighting.beat(frame)
        else:
            self.sighting.status(frame)

    def _lost(self) -> WorkerExit:
        """It ended when it was last heard, as far as anybody knows."""
        return self._exit(ExitKind.LOST, None, None)

    def _exit(self, kind: ExitKind, code: int | None, ended_at: float | None) -> WorkerExit:
        """A worker's end; `ended_at` is by its own clock, `None` means: when it was last heard."""
        failed = kind is not ExitKind.EXITED or code != 0
        ahead_s = self.sighting.value.clock_ahead_s
        return WorkerExit(
            worker=self.worker.index,
            kind=kind,
            code=code,
            ended_at=time.time() - self.silent_s + ahead_s if ended_at is None else ended_at,
            log_tail=self.log.tail if failed else "",
            clock_ahead_s=ahead_s,
        )
