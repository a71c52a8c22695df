"""Workers over SSH: the only package that knows fabric and paramiko.

This layer is for short commands and for streams that report on something. Workloads are never its children:
they belong to the agent, because a time-out or a lost connection here ends the *waiting*, and leaves the
remote process running.
"""

from __future__ import annotations

from tpuherd.remote.argv import interactive_argv, quote
from tpuherd.remote.errors import HostKeyChangedError, UnreachableError
from tpuherd.remote.known_hosts import KnownHosts, forget
from tpuherd.remote.result import AgentCall, FanOut, Line, Outcome, RemoteCommand, RemoteResult
from tpuherd.remote.stream import RemoteStream
from tpuherd.remote.variables import with_variables
from tpuherd.remote.workers import RemoteWorkers

__all__ = [
    "AgentCall",
    "FanOut",
    "HostKeyChangedError",
    "KnownHosts",
    "Line",
    "Outcome",
    "RemoteCommand",
    "RemoteResult",
    "RemoteStream",
    "RemoteWorkers",
    "UnreachableError",
    "forget",
    "interactive_argv",
    "quote",
    "with_variables",
]
