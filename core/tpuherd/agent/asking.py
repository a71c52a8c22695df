"""One question to the agents of some workers; a worker that does not answer is named, not raised."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tpuherd.agent.answers import AgentProtocolError
from tpuherd.agent.bundle import bundle, command, install_command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.remote import FanOut, RemoteResult, RemoteWorkers

ANSWER_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What the agents said."""

    by_worker: dict[int, dict[str, Any]]
    """Worker index to the agent's JSON object, of those that answered."""
    ends: FanOut
    """How the question ended on every worker."""


def ask(remote: RemoteWorkers, workers: Sequence[int], *words: str, timeout_s: float = ANSWER_S) -> Answers:
    """Ask the agents of some workers, in one round trip; an agent that is not there is installed first.

    Args:
        remote: connections to the workers.
        workers: their indices.
        words: the agent's command line, for example `"devices"`.
        timeout_s: how long one worker may take.

    Raises:
        AgentProtocolError: what a worker answered is no JSON.
        RemoteError: the private key cannot be used.
    """
    line = f"( {install_command(bundle())} ) >/dev/null; {command(bundle(), *words)}"
    ends = remote.run(line, workers=workers, stdin=bundle().content, timeout_s=timeout_s)
    return Answers(by_worker={done.worker.index: _parsed(done) for done in ends.succeeded}, ends=ends)


def _parsed(done: RemoteResult) -> dict[str, Any]:
    """The last line; lines before it are a login banner."""
    try:
        found = json.loads(done.stdout.strip().splitlines()[-1])
    except (LookupError, ValueError):
        found = None
    if not isinstance(found, dict):
        raise AgentProtocolError(f"the agent of {done.worker.name} answered {done.stdout[-200:]!r}")
    return found
