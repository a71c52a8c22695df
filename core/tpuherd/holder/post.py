"""Where an agent stands by on one worker, if one can."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from tpuherd.errors import RemoteError
from tpuherd.holder.standing import StandingAgent
from tpuherd.remote.result import Ending, Outcome
from tpuherd_agent.errors import LONG_WAY

if TYPE_CHECKING:
    from tpuherd.holder.standing_call import Call
    from tpuherd.remote import AgentCall, RemoteCommand
    from tpuherd.remote.dialer import Dialer
    from tpuherd.remote.link import Link
    from tpuherd.remote.output import Listener

PAUSE_S = 5.0
"""After an agent could not stand by: it may have to be installed first, or cannot do so at all."""
LOST = "the agent that stood by ended before the command did; it may still be running"


class Post:
    """The one agent that stands by on a connection; safe to use from several threads."""

    def __init__(self, link: Link) -> None:
        """Keep the connection."""
        self._link = link
        self._lock = threading.Lock()
        self._agent: StandingAgent | None = None
        self._tried_at = -PAUSE_S

    def answer(
        self, command: RemoteCommand, dialer: Dialer, deadline: float, listener: Listener
    ) -> Ending | None:
        """Have a command answered; `None`: that has to be done in another way, and nobody has heard anything.

        Args:
            command: only one that is a call of an agent can be answered here.
            dialer: opens the connection if there is none.
            deadline: a `time.monotonic()`.
            listener: of what the agent says; the end is not told here.
        """
        agent = self._standing(command.call, dialer, deadline) if command.call else None
        if agent is None or command.call is None:
            return None
        try:
            call = agent.call(command.call.words, command.stdin)
        except ConnectionError:
            return None
        try:
            return self._listen(call, deadline, listener)
        finally:
            if call.is_open:
                call.close()

    def _listen(self, call: Call, deadline: float, listener: Listener) -> Ending | None:
        index, heard = self._link.worker.index, False
        try:
            listener.begin(index, call)
            for name, data in call.chunks(deadline):
                heard = True
                listener.feed(index, name, data)
        except TimeoutError:  # before ConnectionError's base, OSError
            return Ending(outcome=Outcome.TIMED_OUT, reason="it may still be running")
        except ConnectionError as error:
            return Ending(outcome=Outcome.LOST, reason=str(error))
        outcome, code = call.ending()
        if not heard and not call.was_left and (outcome is not Outcome.EXITED or code == LONG_WAY):
            return None
        return Ending(outcome=outcome, code=code, reason=LOST if outcome is Outcome.LOST else "")

    def _standing(self, call: AgentCall, dialer: Dialer, deadline: float) -> StandingAgent | None:
        with self._lock:
            agent = self._agent
            if agent and agent.is_alive and agent.digest == call.digest:
                return agent
            if agent:
                agent.retire()
            self._agent = self._started(call.digest, dialer, deadline)
            return self._agent

    def _started(self, digest: str, dialer: Dialer, deadline: float) -> StandingAgent | None:
        if time.monotonic() - self._tried_at < PAUSE_S:
            return None
        try:
            agent = StandingAgent(digest, self._link.channel(dialer, deadline))
        except (ConnectionError, RemoteError):
            return None  # which the long way will say, too
        if agent.stands_by(deadline - time.monotonic()):
            return agent
        self._tried_at = time.monotonic()
        return None
