"""What scripts print: shown as it comes, and kept with the logs of the attempt."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, BinaryIO, Self

from tpuherd.engine.log_times import TimeMarks

if TYPE_CHECKING:
    from tpuherd import Job, Worker
    from tpuherd.remote import Line


class Logs:
    """One file for each worker that prints something, `setup-N.log` beside the workload's."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._files: dict[int, tuple[BinaryIO, TimeMarks]] = {}
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._open.close()

    def take(self, worker: Worker, line: Line) -> None:
        """Show and keep one line; `RemoteWorkers` hands on one at a time."""
        file, marks = self._file(worker.index)
        marks.mark(file.tell())
        file.write(line.text.encode() + b"\n")
        file.flush()
        self._job.session.reporter.worker_line(worker.name, line.text)

    def _file(self, index: int) -> tuple[BinaryIO, TimeMarks]:
        if index not in self._files:
            self._job.attempt_directory.mkdir(parents=True, exist_ok=True)
            path = self._job.attempt_directory / f"setup-{index}.log"
            self._files[index] = self._open.enter_context(path.open("ab")), TimeMarks(path)
        return self._files[index]
