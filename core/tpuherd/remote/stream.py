"""A long-lived command whose output is read as it arrives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

from tpuherd.errors import RemoteError
from tpuherd.remote.result import Outcome
from tpuherd.remote.text import Excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tpuherd.model.allocation import Worker
    from tpuherd.remote.result import StreamName

_STDERR_BYTES = 1 << 16


class Source(Protocol):
    """A command that runs, as this process sees it."""

    def chunks(self) -> Iterator[tuple[StreamName, bytes]]:
        """What it says, until it ends."""

    def ending(self) -> tuple[Outcome, int | None]:
        """How it ended, and its exit code if it has one."""

    def close(self) -> None:
        """Read no more; harmless if called again, and from any thread."""


class RemoteStream:
    """Iterate it for chunks of the command's stdout; that ends when the command ends, or after `close`.

    One thread iterates; any thread may close. Closing ends the reading, not the remote process, unless that
    process ends by itself when nobody reads its output.

    Raises:
        RemoteError: from the iteration, if the connection was lost: the command may still be running.
    """

    def __init__(self, worker: Worker, source: Source) -> None:
        self.worker = worker
        self._source = source
        self._closed = False
        self._exit_code: int | None = None
        self._stderr = Excerpt(_STDERR_BYTES)
        self._output = self._read()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        return next(self._output)

    @property
    def exit_code(self) -> int | None:
        """Known after the iteration; `None` before, after `close`, and if a signal ended the command."""
        return self._exit_code

    @property
    def stderr(self) -> str:
        """Head and tail of what the command wrote to stderr so far."""
        return self._stderr.text()

    def close(self) -> None:
        """End the session; harmless if it ended already."""
        self._closed = True
        self._source.close()

    def _read(self) -> Iterator[bytes]:
        for name, data in self._source.chunks():
            if name == "stdout":
                yield data
            else:
                self._stderr.feed(data)
        self._end()

    def _end(self) -> None:
        if self._closed:
            return
        outcome, self._exit_code = self._source.ending()
        if outcome is Outcome.LOST and not self._closed:
            raise RemoteError(
                f"the connection to {self.worker.name} ({self.worker.ssh_address}) was lost while reading; "
                "the command may still be running"
            )
        self._source.close()
