"""One command on one worker, from the first byte to its result."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from tpuherd.errors import RemoteError
from tpuherd.remote import channel as session
from tpuherd.remote.result import Line, Outcome, RemoteResult
from tpuherd.remote.text import Excerpt, LineSplitter

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd.model.allocation import Worker
    from tpuherd.remote.dialer import Dialer
    from tpuherd.remote.link import Link
    from tpuherd.remote.result import RemoteCommand, StreamName


class _Output:
    """Both streams of one command: kept within bounds, and handed on line by line."""

    def __init__(self, capture_bytes: int, on_line: Callable[[Line], None] | None) -> None:
        self._on_line = on_line
        self._kept: dict[StreamName, Excerpt] = {
            "stdout": Excerpt(capture_bytes),
            "stderr": Excerpt(capture_bytes),
        }
        self._splitters: dict[StreamName, LineSplitter] = {"stdout": LineSplitter(), "stderr": LineSplitter()}

    def feed(self, name: StreamName, data: bytes) -> None:
        self._kept[name].feed(data)
        if self._on_line:
            self._tell(self._on_line, name, self._splitters[name].feed(data))

    def finish(self) -> None:
        if self._on_line:
            for name, splitter in self._splitters.items():
                self._tell(self._on_line, name, splitter.rest())

    def text(self, name: StreamName) -> str:
        return self._kept[name].text()

    @staticmethod
    def _tell(on_line: Callable[[Line], None], name: StreamName, texts: list[str]) -> None:
        for text in texts:
            on_line(Line(name, text))


def exchange(
    link: Link,
    command: RemoteCommand,
    *,
    dialer: Dialer,
    timeout_s: float,
    on_line: Callable[[Worker, Line], None] | None,
    capture_bytes: int,
) -> RemoteResult:
    """Run a command on one worker; whatever goes wrong out there is in the result."""
    began = time.monotonic()
    output = _Output(capture_bytes, (lambda line: on_line(link.worker, line)) if on_line else None)
    outcome, code, reason = _outcome(link, command, dialer, began + timeout_s, output)
    output.finish()
    return RemoteResult(
        worker=link.worker,
        outcome=outcome,
        code=code,
        stdout=output.text("stdout"),
        stderr=output.text("stderr"),
        duration_s=time.monotonic() - began,
        reason=reason,
    )


def _outcome(
    link: Link, command: RemoteCommand, dialer: Dialer, deadline: float, output: _Output
) -> tuple[Outcome, int | None, str]:
    try:
        channel = link.channel(dialer, deadline)
    except RemoteError as error:
        return Outcome.UNREACHABLE, None, str(error)
    try:
        return _follow(channel, command, deadline, output)
    finally:
        channel.close()


def _follow(
    channel: Any, command: RemoteCommand, deadline: float, output: _Output
) -> tuple[Outcome, int | None, str]:
    try:
        session.start(channel, command)
        for name, data in session.chunks(channel, deadline):
            output.feed(name, data)
    except TimeoutError:  # before ConnectionError's base, OSError
        return Outcome.TIMED_OUT, None, "it may still be running"
    except ConnectionError as error:
        return Outcome.LOST, None, str(error)
    outcome, code = session.ending(channel, deadline)
    lost = "the connection ended before the command did; it may still be running"
    return outcome, code, lost if outcome is Outcome.LOST else ""
