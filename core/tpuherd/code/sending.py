"""Sending a snapshot: the delta against what each worker has, in one exchange where that is known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from tpuherd.code.delta import Delta
from tpuherd.code.importing import import_roots
from tpuherd.code.memory import UNKNOWN, Memory
from tpuherd.code.payload import Payload, pack
from tpuherd.code.store import EMPTY_TREE
from tpuherd.errors import SyncError
from tpuherd.model.outcome import SyncedCode

if TYPE_CHECKING:
    from pathlib import Path

    from tpuherd.code.snapshot import Snapshot
    from tpuherd.model.allocation import Allocation
    from tpuherd.model.job import Job
    from tpuherd.remote import RemoteCommand, RemoteResult, RemoteWorkers

TIMEOUT_S = 600.0
FOLDER = ".tpuherd/code"
NOTHING = "none"
"""A base: the worker has nothing, or nothing that this machine knows."""
ROUNDS = 3
"""What a worker has can change between its answer and the next exchange; the last round sends everything."""


def send(job: Job, allocation: Allocation, snapshot: Snapshot, *, kind: str, root: Path) -> SyncedCode:
    """Bring a snapshot to every worker of an allocation, all at once.

    Args:
        job: the job; its folder remembers what the workers have.
        allocation: the workers.
        snapshot: what to send.
        kind: the plugin's name.
        root: the folder that the snapshot was taken of.

    Raises:
        SyncError: it did not arrive on some worker; there, nothing changed.
        ConfigError: `code.editable` names a folder that is not in the code.
    """
    roots = import_roots(root, job.spec.code.editable)
    memory = Memory(job.directory, allocation.incarnation)
    remote = job.session.workers(allocation, job.cloud.ssh)
    sent = _Sending(snapshot, remote, job.spec.code.keep_snapshots)
    sent.to({worker.index: memory.recall(worker.index) for worker in allocation.workers})
    memory.keep({worker.index: snapshot.id for worker in allocation.workers})
    job.session.note(sent.summary())
    snapshot.store.tidy()
    return SyncedCode(
        kind=kind,
        snapshot=snapshot.id,
        directory=f"{FOLDER}/{snapshot.id}",
        commit=snapshot.origin.commit,
        dirty=snapshot.dirty,
        commit_tree=snapshot.origin.tree,
        repository=snapshot.origin.repository,
        import_roots=roots,
    )


@cache
def worker_script() -> str:
    """The program that runs on workers."""
    return old_script() + files("tpuherd.code").joinpath("worker.sh").read_text()


@cache
def old_script() -> str:
    """A shell function `remove_old` for programs that put snapshots on workers; it says what it needs."""
    return files("tpuherd.code").joinpath("old.sh").read_text()


@dataclass(frozen=True, slots=True)
class _Parcel:
    """What one group of workers is sent."""

    base: str
    payload: Payload


class _Sending:
    def __init__(self, snapshot: Snapshot, remote: RemoteWorkers, keep: int) -> None:
        self._snapshot = snapshot
        self._remote = remote
        self._keep = keep
        self._parcels: dict[str, _Parcel] = {}
        self._made: list[_Parcel] = []

    def to(self, bases: dict[int, str]) -> None:
        """Send to workers, given what each of them is believed to have."""
        for _ in range(ROUNDS):
            bases = self._exchange(bases)
            if not bases:
                return
        if self._exchange(dict.fromkeys(bases, NOTHING)):
            raise SyncError("sending the code: the workers gave answers that make no sense")

    def summary(self) -> str:
        """What was sent, for people."""
        size = max((len(parcel.payload.content) for parcel in self._made), default=0)
        changed = max((parcel.payload.changed for parcel in self._made), default=0)
        sent = f"{changed} of {self._snapshot.files} files, {size / 2**10:.1f} KiB"
        return f"snapshot {self._snapshot.id}: {sent} to {len(self._made)} workers"

    def _exchange(self, bases: dict[int, str]) -> dict[int, str]:
        """Send to each worker, and return what those have that need something else."""
        commands = {worker: self._command(base) for worker, base in bases.items()}
        done = self._remote.run_each(commands, timeout_s=TIMEOUT_S)
        done.require(SyncError, "sending the code")
        return dict(filter(None, (self._heard(result, bases) for result in done.results)))

    def _heard(self, result: RemoteResult, bases: dict[int, str]) -> tuple[int, str] | None:
        """Read a worker's answer: its index and what it has, if it needs something else."""
        index, words = result.worker.index, result.stdout.split()
        if words[-1:] == ["made"]:
            self._made.append(self._parcels[bases[index]])
        elif words[-2:-1] == ["need"]:
            return index, self._usable(words[-1])
        elif words[-1:] != ["present"]:
            raise SyncError(f"sending the code: {result.worker.name} answered {result.stdout[-200:]!r}")
        return None

    def _usable(self, base: str) -> str:
        known = base != NOTHING and self._snapshot.store.has(base)
        return base if known else NOTHING

    def _command(self, base: str) -> RemoteCommand:
        from tpuherd.remote import RemoteCommand, quote

        parcel = self._parcels.get(base)
        if parcel is None:
            parcel = self._parcels[base] = _Parcel(base, self._pack(base))
        words = (self._snapshot.id, base, str(self._keep), parcel.payload.packing)
        line = quote(["sh", "-c", worker_script(), "tpuherd", *words])
        return RemoteCommand(command=line, stdin=parcel.payload.content or None)

    def _pack(self, base: str) -> Payload:
        if base == UNKNOWN:
            return Payload(content=b"", packing="plain", changed=0)
        start = EMPTY_TREE if base == NOTHING else base
        return pack(Delta(store=self._snapshot.store, base=start, tree=self._snapshot.id))
