"""What each stage hands to the next."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from pathlib import PurePosixPath

from tpuherd.model.sighting import WorkerSighting

PEER_DIED = (
    "The tasks have crashed. Check the task logs",
    "because the JAX distributed service detected fatal errors",
    "This most likely indicates that another task died",
    "Gloo all-reduce failed",
    "heartbeat timeout. This indicates that the remote task has failed",
    "agent is in error",
)
"""What a JAX process prints when it ends because another one has ended (jaxlib 0.10, stderr)."""


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
    clock_ahead_s: float = 0.0
    """How far the worker's clock is ahead of the controller's, as far as is known."""

    @property
    def failed(self) -> bool:
        """True unless it exited with 0."""
        return not (self.kind is ExitKind.EXITED and self.code == 0)

    @property
    def happened_at(self) -> float:
        """When it ended, by the controller's clock: the order of several workers' ends."""
        return self.ended_at - self.clock_ahead_s

    @property
    def died_of_another(self) -> bool:
        """True if its log ends with what JAX says when another process has died."""
        return any(text in self.log_tail for text in PEER_DIED)


class EndedBy(Enum):
    """What ended the workload on all workers."""

    ITSELF = "itself"
    """All processes ended by themselves, the first failure stopped the others."""
    NOTICE = "notice"
    """The metadata server announced a preemption."""
    SLICE = "slice"
    """The control plane says that a slice is gone."""
    SILENCE = "silence"
    """A worker was not heard any more."""
    HANG = "hang"
    """Nothing went on though its processes lived."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadExit:
    """The end of the workload on all workers."""

    workers: tuple[WorkerExit, ...]
    output_directory: str = ""
    """Where the workload wrote its results, as the workers see it; empty: nowhere."""
    ended_by: EndedBy = EndedBy.ITSELF
    why: str = ""
    """What ended it, in words; empty if it was itself."""
    sightings: tuple[WorkerSighting, ...] = ()
    """What was heard of each worker meanwhile."""

    @property
    def succeeded(self) -> bool:
        """True if every worker exited with 0."""
        return not any(worker.failed for worker in self.workers)

    @property
    def first_failure(self) -> WorkerExit | None:
        """The worker to blame: of those that tpuherd did not stop itself, the first that ended.

        One that says itself that it died of another's death is only blamed if all say so.
        """
        own = [w for w in self.workers if w.failed and w.kind is not ExitKind.STOPPED]
        causes = [w for w in own if not w.died_of_another]
        return min(causes or own, key=lambda w: w.happened_at, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectedResults:
    """Files that were brought home from a finished attempt."""

    directory: str
    """Folder on this machine."""
    files: tuple[PurePosixPath, ...] = ()
    """What is in it, relative to `directory`."""
    summary: str = ""
    """A table or a sentence for people, printed at the end of the run."""
