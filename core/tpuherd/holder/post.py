"""Where an agent stands by on one worker, if one can."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from tpuherd.agent.bundle import bundle
from tpuherd.errors import RemoteError
from tpuherd.holder.standing import StandingAgent
from tpuherd.remote.result import Ending, Outcome
from tpuherd_agent import mux
from tpuherd_agent.errors import LONG_WAY

if TYPE_CHECKING:
    from tpuherd.holder.standing_call import Call
    from tpuherd.remote import AgentCall, RemoteCommand
    from tpuherd.remote.dialer import Dialer
    from tpuherd.remote.link import Link
    from tpuherd.remote.output import Listener

PAUSE_S = 5.0
"""After an agent could not stand by: perhaps it never can there."""
STAND_S = 20.0
"""How long an agent may take to stand by for what comes next: its way there, and its start."""
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
            command: a call of an agent, which starts one that stands by; or with a mark, for one that does.
            dialer: opens the connection if there is none.
            deadline: a `time.monotonic()`.
            listener: of what the agent says; the end is not told here.
        """
        if command.call:
            return self._repeatable(command, command.call, dialer, deadline, listener)
        return self._once(command, deadline, listener) if command.mark else None

    def stand_by(self, digest: str, dialer: Dialer) -> None:
        """Have an agent stand by for what comes next, if the worker is connected."""
        if self._link.is_open:
            self._standing(digest, dialer, time.monotonic() + STAND_S)

    def _repeatable(
        self, command: RemoteCommand, call: AgentCall, dialer: Dialer, deadline: float, listener: Listener
    ) -> Ending | None:
        agent = self._standing(call.digest, dialer, deadline)
        if agent is None:
            return None
        try:
            begun = agent.call(call.words, command.stdin)
        except ConnectionError:
            return None
        ending, heard = self._listen(begun, deadline, listener)
        unclear = ending.outcome is not Outcome.EXITED or ending.code == LONG_WAY
        return None if unclear and not heard and not begun.was_left else ending

    def _once(self, command: RemoteCommand, deadline: float, listener: Listener) -> Ending | None:
        """What was begun here is begun nowhere else, whatever becomes of it."""
        agent = self._agent
        fits = len(command.command) < mux.WINDOW_BYTES // 4  # else no shell takes it, either
        if not (fits and agent and agent.is_alive and agent.digest == bundle().digest):
            return None
        try:
            begun = agent.call((mux.SHELL, command.command), command.stdin)
        except ConnectionError:
            return Ending(outcome=Outcome.LOST, reason=LOST)
        ending, _ = self._listen(begun, deadline, listener)
        return None if begun.was_refused else ending

    def _listen(self, call: Call, deadline: float, listener: Listener) -> tuple[Ending, bool]:
        """How it ended, and whether it said anything."""
        index, heard = self._link.worker.index, False
        try:
            listener.begin(index, call)
            for name, data in call.chunks(deadline):
                heard = True
                listener.feed(index, name, data)
        except TimeoutError:  # before ConnectionError's base, OSError
            return Ending(outcome=Outcome.TIMED_OUT, reason="it may still be running"), True
        except ConnectionError as error:
            return Ending(outcome=Outcome.LOST, reason=str(error)), True
        finally:
            if call.is_open:
                call.close()
        outcome, code = call.ending()
        reason = LOST if outcome is Outcome.LOST else ""
        return Ending(outcome=outcome, code=code, reason=reason), heard

    def _standing(self, digest: str, dialer: Dialer, deadline: float) -> StandingAgent | None:
        with self._lock:
            agent = self._agent
            if agent and agent.is_alive and agent.digest == digest:
                return agent
            if agent:
                agent.retire()
            self._agent = self._started(digest, dialer, deadline)
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
