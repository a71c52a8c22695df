"""The files of one attempt."""

from __future__ import annotations

from pathlib import Path

from tpuherd_agent.errors import USAGE, AgentError
from tpuherd_agent.records import NamedTuple

_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
OWN_NAMES = frozenset({".agent", "output.log", "script.sh"})
"""What the agent itself keeps in an attempt's folder."""


class Attempt(NamedTuple):
    """One try at the workload: an id, and a folder that belongs to it alone."""

    identifier: str
    directory: Path

    @property
    def log(self) -> Path:
        """What the workload printed, stdout and stderr in the order in which it came."""
        return self.directory / "output.log"

    @property
    def script(self) -> Path:
        """The workload, if it is a script."""
        return self.directory / "script.sh"

    @property
    def records(self) -> Path:
        """The folder of the agent's own records."""
        return self.directory / ".agent"

    @property
    def lock(self) -> Path:
        """Held by whoever decides whether the workload starts."""
        return self.records / "lock"

    @property
    def keeper(self) -> Path:
        """Held by the keeper as long as it lives; its content is the heartbeat."""
        return self.records / "keeper"

    @property
    def marker(self) -> Path:
        """Exists from the moment on after which the workload may have been started."""
        return self.records / "started"

    @property
    def process(self) -> Path:
        """Who the workload's first process is."""
        return self.records / "process.json"

    @property
    def exit(self) -> Path:
        """How it ended."""
        return self.records / "exit.json"

    @property
    def stop(self) -> Path:
        """Exists if tpuherd asked for the end before the workload had ended by itself."""
        return self.records / "stop.json"

    @property
    def stopper(self) -> Path:
        """Held by a `stop` at work."""
        return self.records / "stopper"

    @property
    def preemption(self) -> Path:
        """Exists if the metadata server announced a preemption."""
        return self.records / "preemption.json"

    @property
    def maintenance(self) -> Path:
        """Exists if the metadata server announced maintenance."""
        return self.records / "maintenance.json"

    @property
    def progress(self) -> Path:
        """What the workload says how far it is; see `progress`."""
        return self.directory / "progress.json"

    def create(self) -> None:
        """Makes the folder, readable for its owner only; safe to repeat."""
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.records.mkdir(mode=0o700, exist_ok=True)


def home() -> Path:
    """The home folder, without symbolic links: every process must call an attempt's folder by one name."""
    return Path("~").expanduser().resolve()


def find(identifier: str) -> Attempt:
    """The attempt of this id, whether it exists or not.

    Raises:
        AgentError: The id could be mistaken for a path.
    """
    if not (0 < len(identifier) <= 120 and set(identifier) <= _CHARACTERS) or identifier in {".", ".."}:
        message = f"bad attempt id {identifier[:130]!r}: use 1 to 120 of the characters A-Z a-z 0-9 . _ -"
        raise AgentError(message, USAGE)
    return Attempt(identifier, _root() / identifier)


def existing() -> list[Attempt]:
    """All attempts on this worker, by name."""
    folders = (path.parent for path in _root().glob("*/.agent"))
    return sorted(Attempt(folder.name, folder) for folder in folders)


def _root() -> Path:
    return home() / ".tpuherd" / "attempts"
