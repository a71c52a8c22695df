"""The stream of a watch: bytes, however they are cut, to the agent's answers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NoReturn

from tpuherd.agent.answers import AgentProtocolError, Beat, Frame, LogChunk, parse_status
from tpuherd.errors import RemoteError
from tpuherd_agent import frames

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tpuherd.remote import RemoteStream

_JUNK_BYTES = 64 * 1024
"""More than any login banner; then the other side is no agent."""


class FrameDecoder:
    """Turns the bytes of a watch, however they are cut, into frames.

    Attributes:
        banner: What was printed before the first frame, for example by the worker's shell.
    """

    def __init__(self) -> None:
        self.banner = b""
        self._buffer = bytearray()
        self._begun = False

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Takes bytes and gives the frames that are complete now.

        Raises:
            AgentProtocolError: The agent refused, or this is no agent; frames before that were given.
        """
        self._buffer += data
        return self._frames()

    def finish(self) -> None:
        """Checks that the stream ended between two frames.

        Raises:
            AgentProtocolError: It ended before or inside a frame; the message quotes what came instead.
        """
        if not self._begun:
            raise AgentProtocolError(f"the agent did not answer; the worker printed {_quote(self._buffer)}")
        if self._buffer:
            raise AgentProtocolError("the agent's answer was cut off; watch again from the end of the log")

    def _frames(self) -> Iterator[Frame]:
        while self._begin() and (frame := self._take()):
            yield frame

    def _begin(self) -> bool:
        if self._begun:
            return True
        start = self._buffer.find(frames.PREAMBLE)
        if start >= 0:
            self.banner = bytes(self._buffer[:start])
            del self._buffer[: start + len(frames.PREAMBLE)]
            self._begun = True
        elif len(self._buffer) > _JUNK_BYTES:
            raise AgentProtocolError(f"this is no agent: the worker printed {_quote(self._buffer)}")
        return self._begun

    def _take(self) -> Frame | None:
        if len(self._buffer) < frames.HEADER.size:
            return None
        kind, length = frames.HEADER.unpack_from(self._buffer)
        if kind not in _DECODE or length > frames.LARGEST_BYTES:
            raise AgentProtocolError(f"the agent's answer is damaged at {_quote(self._buffer)}")
        end = frames.HEADER.size + length
        if len(self._buffer) < end:
            return None
        payload = bytes(self._buffer[frames.HEADER.size : end])
        del self._buffer[:end]
        return _DECODE[kind](payload)


def frames_of(stream: RemoteStream) -> Iterator[Frame]:
    """What an agent sends, one frame at least; the stream is closed in the end.

    Raises:
        AgentProtocolError: see `FrameDecoder.feed`.
        RemoteError: the connection was lost, or the agent ended before its last frame: watch again.
    """
    decoder = FrameDecoder()
    try:
        for chunk in stream:
            yield from decoder.feed(chunk)
        _finish(decoder)
    finally:
        stream.close()


def _finish(decoder: FrameDecoder) -> None:
    """A watch that ended between its start and the workload's end has to be begun again."""
    try:
        decoder.finish()
    except AgentProtocolError as error:
        raise RemoteError(str(error)) from error


def _quote(data: bytearray) -> str:
    return repr(bytes(data[:200]).decode(errors="replace")) if data else "nothing"


def _log(payload: bytes) -> LogChunk:
    (offset,) = frames.OFFSET.unpack_from(payload)
    return LogChunk(offset=offset, data=payload[frames.OFFSET.size :])


def _beat(payload: bytes) -> Beat:
    return Beat(at=frames.TIME.unpack(payload)[0])


def _failure(payload: bytes) -> NoReturn:
    raise AgentProtocolError(json.loads(payload)["error"])


_DECODE: dict[bytes, Callable[[bytes], Frame]] = {
    frames.LOG: _log,
    frames.STATUS: parse_status,
    frames.BEAT: _beat,
    frames.FAILURE: _failure,
}
