"""What each stage hands to the next."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from pathlib import PurePosixPath


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """What makes a worker able to run the code: a venv, a conda env, a container or the bare host."""

    kind: str
    key: str
    """Hash of everything it was made from, with the incarnation of the VMs."""
    command_prefix: tuple[str, ...] = ()
    """Words put before every command, for example `("docker", "exec", "NAME")`."""
    end_command: tuple[str, ...] = ()
    """Words of a program that ends what is not among the processes of an attempt (its container); it gets the
    folder of the attempt as one more word. Empty: there is no such thing."""
    variables: dict[str, str] = field(default_factory=dict)
    """Variables for every command; `$HOME` in a value stands for the worker's home folder."""
    path_entries: tuple[str, ...] = ()
    """Folders put at the front of `PATH`; `$HOME` as above."""
    versions: dict[str, str] = field(default_factory=dict)
    """What was found on the workers, the same on all: distribution name to version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncedCode:
    """The code on the workers."""

    kind: str
    snapshot: str
    """Id of exactly this content."""
    directory: str
    """Its folder on every worker, below the home folder; empty: there is no code, only a home folder."""
    commit: str = ""
    """The git commit that it started from, if there is one."""
    dirty: bool = False
    """True if the content differs from that commit."""
    commit_tree: str = ""
    """Id of the git tree that the content is compared with: the commit's, or of a subfolder of it."""
    repository: str = ""
    """The git folder on the controller's machine that has the commit."""
    import_roots: tuple[str, ...] = ()
    """Folders in `directory` from which Python imports first; see `code.editable`."""


class ExitKind(Enum):
    """How a worker's process group ended."""

    EXITED = "exited"
    """By itself, with an exit code."""
    SIGNALLED = "signalled"
    """By a signal that tpuherd did not send."""
    STOPPED = "stopped"
    """By tpuherd, because another worker had failed or the job was cancelled."""
    LOST = "lost"
    """Nobody saw the end: the agent or the whole worker went away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerExit:
    """The end of the workload on one worker."""

    worker: int
    kind: ExitKind
    code: int | None
    """Exit code, or the signal's number for `signalled` and `stopped`; `None` if lost."""
    ended_at: float
    """Seconds since the epoch, by the worker's clock."""
    log_tail: str = ""
    """The last lines of its log; only kept for failures."""

    @property
    def failed(self) -> bool:
        """True unless it exited with 0."""
        return not (self.kind is ExitKind.EXITED and self.code == 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadExit:
    """The end of the workload on all workers."""

    workers: tuple[WorkerExit, ...]
    output_directory: str = ""
    """Where the workload wrote its results, as the workers see it; empty: nowhere."""

    @property
    def succeeded(self) -> bool:
        """True if every worker exited with 0."""
        return not any(worker.failed for worker in self.workers)

    @property
    def first_failure(self) -> WorkerExit | None:
        """The worker to blame: of those that tpuherd did not stop itself, the first that ended."""
        own = [w for w in self.workers if w.failed and w.kind is not ExitKind.STOPPED]
        return min(own, key=lambda w: w.ended_at, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectedResults:
    """Files that were brought home from a finished attempt."""

    directory: str
    """Folder on this machine."""
    files: tuple[PurePosixPath, ...] = ()
    """What is in it, relative to `directory`."""
    summary: str = ""
    """A table or a sentence for people, printed at the end of the run."""
