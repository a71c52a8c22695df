"""Looking at the connections of all holders of this user, and closing them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd.holder import frames
from tpuherd.holder.starting import running_holders
from tpuherd.holder.warm_place import SUFFIX

if TYPE_CHECKING:
    import socket

ANSWER_S = 5.0


def connections() -> list[dict[str, Any]]:
    """One row for each allocation that a holder keeps connections to; no holder is started for this."""
    return [row for header in _ask_all({"op": "list"}) for row in header["rows"]]


def close_connections(job_id: str | None = None) -> int:
    """Close the connections to a job's workers, or all; returns how many there were.

    A command that still uses one sees it as lost. A holder that holds nothing ends.
    """
    return sum(int(header["closed"]) for header in _ask_all({"op": "close", "job": job_id}))


def warm_starters() -> list[int]:
    """The process ids of this user's warm starters."""
    return [header["process"] for header in _ask_all({"op": "list"}, SUFFIX)]


def close_warm_starters() -> None:
    """End the warm starters; commands that they have started go on."""
    _ask_all({"op": "close"}, SUFFIX)


def _ask_all(request: dict[str, Any], suffix: str = ".sock") -> list[dict[str, Any]]:
    answers = [_ask(sock, request) for sock in running_holders(suffix)]
    return [answer for answer in answers if answer is not None]


def _ask(sock: socket.socket, request: dict[str, Any]) -> dict[str, Any] | None:
    """The last answer; `None` from a holder that is just ending, hangs, or is of another version."""
    with sock:
        sock.settimeout(ANSWER_S)
        try:
            frames.send(sock, request)
            while frame := frames.receive(sock):
                if "done" in frame.header:
                    return None if "error" in frame.header else frame.header
        except OSError:
            return None
    return None
