"""A command whose output comes through the holder."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tpuherd.errors import RemoteError
from tpuherd.remote.result import Ending, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tpuherd.holder.asking import Asking
    from tpuherd.holder.frames import Frame
    from tpuherd.remote.result import StreamName


class HeldSource:
    """What a `RemoteStream` reads."""

    def __init__(self, asking: Asking, answers: Iterator[Frame]) -> None:
        """Keep the conversation, and the answers to the request that started the command."""
        self._asking = asking
        self._answers = answers
        self._ending = Ending(outcome=Outcome.LOST)

    def begin(self) -> None:
        """Wait until the command is started.

        Raises:
            RemoteError: it was not.
            ConnectionError: the holder has ended.
        """
        header = next(self._answers).header
        if "begin" not in header:
            raise RemoteError(header.get("reason") or "the connection holder did not start it")

    def chunks(self) -> Iterator[tuple[StreamName, bytes]]:
        """See `remote.stream.Source`."""
        with suppress(ConnectionError):
            for header, body in self._answers:
                if "stream" in header:
                    yield header["stream"], body
                elif "end" in header:
                    self._ending = ending_of(header)

    def ending(self) -> tuple[Outcome, int | None]:
        """See `remote.stream.Source`."""
        return self._ending.outcome, self._ending.code

    def close(self) -> None:
        """See `remote.stream.Source`."""
        self._asking.close()


def begun(asking: Asking, request: dict[str, Any], inputs: Sequence[bytes]) -> HeldSource:
    """Ask for one command on one worker, and wait until it is started.

    Raises:
        Unheard: no holder accepted it.
        RemoteError: it could not be started.
        ConnectionError: the holder has ended.
    """
    try:
        source = HeldSource(asking, asking.ask(request, *inputs))
        source.begin()
    except BaseException:
        asking.close()
        raise
    return source


def ending_of(header: dict[str, Any]) -> Ending:
    """How a command ended, by a message of the holder."""
    return Ending(
        outcome=Outcome(header["outcome"]),
        code=header["code"],
        reason=header["reason"],
        duration_s=header["duration_s"],
    )
