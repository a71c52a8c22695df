"""What commands say on several workers: kept within bounds, and handed on line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from tpuherd.remote.result import FanOut, Line, RemoteResult
from tpuherd.remote.text import Excerpt, LineSplitter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tpuherd.model.allocation import Worker
    from tpuherd.remote.result import Ending, StreamName


class Listener(Protocol):
    """Hears commands on several workers; each worker from one thread at a time."""

    def begin(self, index: int, channel: Any) -> None:
        """A session is open, a paramiko `Channel`, and the command is about to start in it."""

    def feed(self, index: int, name: StreamName, data: bytes) -> None:
        """A worker said something."""

    def end(self, index: int, ending: Ending) -> None:
        """Its command has ended; it says nothing more."""


class Gathering:
    """Listens until all have ended, and has their results then."""

    def __init__(
        self, workers: Iterable[Worker], capture_bytes: int, on_line: Callable[[Worker, Line], None] | None
    ) -> None:
        self._outputs = {worker.index: _Output(worker, capture_bytes, on_line) for worker in workers}

    def begin(self, index: int, channel: Any) -> None:
        """See `Listener`."""

    def feed(self, index: int, name: StreamName, data: bytes) -> None:
        """See `Listener`."""
        self._outputs[index].feed(name, data)

    def end(self, index: int, ending: Ending) -> None:
        """See `Listener`."""
        self._outputs[index].end(ending)

    @property
    def fan_out(self) -> FanOut:
        """The results, in the order of the workers."""
        return FanOut(results=tuple(output.result() for output in self._outputs.values()))


class _Output:
    """Both streams of one command."""

    def __init__(
        self, worker: Worker, capture_bytes: int, on_line: Callable[[Worker, Line], None] | None
    ) -> None:
        self._worker = worker
        self._on_line = on_line
        self._kept: dict[StreamName, Excerpt] = {
            "stdout": Excerpt(capture_bytes),
            "stderr": Excerpt(capture_bytes),
        }
        self._splitters: dict[StreamName, LineSplitter] = {"stdout": LineSplitter(), "stderr": LineSplitter()}
        self._ending: Ending | None = None

    def feed(self, name: StreamName, data: bytes) -> None:
        self._kept[name].feed(data)
        if self._on_line:
            self._tell(self._on_line, name, self._splitters[name].feed(data))

    def end(self, ending: Ending) -> None:
        self._ending = ending
        if self._on_line:
            for name, splitter in self._splitters.items():
                self._tell(self._on_line, name, splitter.rest())

    def result(self) -> RemoteResult:
        assert self._ending is not None, "it has not ended yet"
        return RemoteResult(
            worker=self._worker,
            outcome=self._ending.outcome,
            code=self._ending.code,
            stdout=self._kept["stdout"].text(),
            stderr=self._kept["stderr"].text(),
            duration_s=self._ending.duration_s,
            reason=self._ending.reason,
        )

    def _tell(self, on_line: Callable[[Worker, Line], None], name: StreamName, texts: list[str]) -> None:
        for text in texts:
            on_line(self._worker, Line(name, text))
