"""What came of a command on many workers."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from itertools import groupby
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tpuherd.errors import TpuherdError
    from tpuherd.model.allocation import Worker

StreamName = Literal["stdout", "stderr"]
_TAIL_LINES = 20


@dataclass(frozen=True, slots=True)
class Line:
    """One line of output, without its line end."""

    stream: StreamName
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCall:
    """A command of the agent, for whoever has one that stands by; safe to repeat."""

    digest: str
    """Of the agent that is meant; see `agent.bundle`."""
    words: tuple[str, ...]
    """Its command line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteCommand:
    """A command for the worker's shell; build it with `quote` from words."""

    command: str
    stdin: bytes | None = field(default=None, repr=False)
    """Its input; `None`: an empty one."""
    mark: str = ""
    """Its processes carry this as `TPUHERD_EXEC_ID`; a connection holder ends them if their caller dies."""
    call: AgentCall | None = None
    """What does the same with the same input, and takes less time where an agent stands by."""


class Outcome(Enum):
    """How a command ended, as far as it was seen from here."""

    EXITED = "exited"
    """By itself, with an exit code."""
    SIGNALLED = "killed by a signal"
    """SSH servers name the signal, paramiko does not pass it on."""
    TIMED_OUT = "timed out"
    """Nobody waits for it any more; it may still be running."""
    LOST = "lost"
    """The connection ended first; it may still be running."""
    UNREACHABLE = "unreachable"
    """It was never started."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a command ended on one worker, without what it said."""

    outcome: Outcome
    code: int | None = None
    """Exit code; `None` unless it exited."""
    reason: str = ""
    """Why it was lost or unreachable."""
    duration_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteResult:
    """The end of a command on one worker."""

    worker: Worker
    outcome: Outcome
    code: int | None
    """Exit code; `None` unless it exited."""
    stdout: str
    """Head and tail of the output, with a mark between if something was left out."""
    stderr: str
    duration_s: float
    reason: str = ""
    """Why it was lost or unreachable."""

    @property
    def succeeded(self) -> bool:
        """True if it exited with 0."""
        return self.outcome is Outcome.EXITED and self.code == 0

    @property
    def ending(self) -> str:
        """How it ended, in a few words, for example `failed: exit 2`."""
        if self.outcome is Outcome.EXITED:
            return f"failed: exit {self.code}"
        return f"{self.outcome.value}: {self.reason}" if self.reason else self.outcome.value

    @property
    def log_tail(self) -> str:
        """The last lines of what it said: of stderr, or of stdout if there is none."""
        said = self.stderr.strip() or self.stdout.strip()
        return "\n".join(said.splitlines()[-_TAIL_LINES:])


@dataclass(frozen=True, slots=True, kw_only=True)
class FanOut:
    """The ends of a command on several workers, in the order of the workers."""

    results: tuple[RemoteResult, ...]

    @property
    def succeeded(self) -> tuple[RemoteResult, ...]:
        """Those that exited with 0."""
        return tuple(result for result in self.results if result.succeeded)

    @property
    def failed(self) -> tuple[RemoteResult, ...]:
        """All others."""
        return tuple(result for result in self.results if not result.succeeded)

    def summary(self) -> str:
        """Who failed and how, and the last lines of the first failure, for people."""
        counted = f"{len(self.succeeded)} of {len(self.results)} workers succeeded"
        groups = groupby(sorted(self.failed, key=lambda r: r.ending), key=lambda r: r.ending)
        named = [(tuple(result.worker for result in group), ending) for ending, group in groups]
        named.sort(key=lambda item: item[0][0].index)
        parts = [f"{', '.join(worker.name for worker in workers)} {ending}" for workers, ending in named]
        return "; ".join([counted, *parts]) + self._first_tail()

    def require(self, error_type: type[TpuherdError], what: str) -> None:
        """Nothing if all succeeded.

        Raises:
            TpuherdError: of type `error_type`, with `what` and the summary, if one failed.
        """
        if self.failed:
            raise error_type(f"{what}: {self.summary()}")

    def _first_tail(self) -> str:
        told = [result for result in self.failed if result.log_tail]
        first = min(told, key=lambda result: result.duration_s, default=None)
        return f"\nlast lines of {first.worker.name}:\n{first.log_tail}" if first else ""
