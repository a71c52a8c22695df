"""One command on one worker, from the first byte to its end."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tpuherd.errors import RemoteError
from tpuherd.remote import channel as session
from tpuherd.remote.result import Ending, Outcome

if TYPE_CHECKING:
    from tpuherd.remote.dialer import Dialer
    from tpuherd.remote.link import Link
    from tpuherd.remote.output import Listener
    from tpuherd.remote.result import RemoteCommand


def exchange(
    link: Link,
    command: RemoteCommand,
    *,
    dialer: Dialer,
    timeout_s: float,
    listener: Listener,
) -> None:
    """Run a command on one worker; the listener hears what it says and how it ends, whatever goes wrong.

    Args:
        link: to the worker.
        command: what to run.
        dialer: opens the connection if there is none.
        timeout_s: including connecting.
        listener: of what the worker says.
    """
    began = time.monotonic()
    ending = _ending(link, command, dialer, began + timeout_s, listener)
    listener.end(link.worker.index, replace(ending, duration_s=time.monotonic() - began))


def _ending(
    link: Link,
    command: RemoteCommand,
    dialer: Dialer,
    deadline: float,
    listener: Listener,
) -> Ending:
    try:
        channel = link.channel(dialer, deadline)
    except RemoteError as error:
        return Ending(outcome=Outcome.UNREACHABLE, reason=str(error))
    try:
        listener.begin(link.worker.index, channel)
        return _follow(channel, command, deadline, listener, link.worker.index)
    finally:
        channel.close()


def _follow(channel: Any, command: RemoteCommand, deadline: float, listener: Listener, index: int) -> Ending:
    try:
        session.start(channel, command)
        for name, data in session.chunks(channel, deadline):
            listener.feed(index, name, data)
    except TimeoutError:  # before ConnectionError's base, OSError
        return Ending(outcome=Outcome.TIMED_OUT, reason="it may still be running")
    except ConnectionError as error:
        return Ending(outcome=Outcome.LOST, reason=str(error))
    outcome, code = session.ending(channel, deadline)
    lost = "the connection ended before the command did; it may still be running"
    return Ending(outcome=outcome, code=code, reason=lost if outcome is Outcome.LOST else "")
