"""Sending a snapshot: the delta against what each worker has, in one exchange where that is known."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from tpuherd.code.calling import script, sync_call
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
    believed = {worker.index: memory.recall(worker.index) for worker in allocation.workers}
    memory.keep(sent.to({worker: _known(base, snapshot) for worker, base in believed.items()}))
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


def _known(base: str, snapshot: Snapshot) -> str:
    """What a worker is believed to have, unless this machine has it no more: the worker is asked then."""
    return base if base in (NOTHING, UNKNOWN, snapshot.id) or snapshot.store.has(base) else UNKNOWN


@cache
def worker_script() -> str:
    """The program that runs on workers."""
    return own_script() + script("copies.sh") + script("worker.sh")


@cache
def own_script() -> str:
    """The beginning of programs that put snapshots on workers; `set_aside_old` in it says what it needs."""
    return script("own.sh")


class _Sending:
    def __init__(self, snapshot: Snapshot, remote: RemoteWorkers, keep: int) -> None:
        self._snapshot = snapshot
        self._remote = remote
        self._keep = keep
        self._payloads: dict[str, Payload] = {}
        self._made: list[Payload] = []
        self._have: dict[int, str] = {}

    def to(self, bases: dict[int, str]) -> dict[int, str]:
        """Send to workers, given what each of them is believed to have; returns what they have now."""
        for _ in range(ROUNDS):
            bases = self._exchange(bases)
            if not bases:
                return self._have
        if self._exchange(dict.fromkeys(bases, NOTHING)):
            raise SyncError("sending the code: the workers gave answers that make no sense")
        return self._have

    def summary(self) -> str:
        """What was sent, for people."""
        size = max((len(payload.content) for payload in self._made), default=0)
        changed = max((payload.changed for payload in self._made), default=0)
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
        said, base = words[-2:] if len(words) > 1 else ("", "")
        if said == "need":
            return index, self._usable(base)
        if said not in ("made", "present"):
            raise SyncError(f"sending the code: {result.worker.name} answered {result.stdout[-200:]!r}")
        if said == "made":
            self._made.append(self._payloads[bases[index]])
        self._have[index] = base
        return None

    def _usable(self, base: str) -> str:
        known = base != NOTHING and self._snapshot.store.has(base)
        return base if known else NOTHING

    def _command(self, base: str) -> RemoteCommand:
        from tpuherd.remote import RemoteCommand, quote

        payload = self._payloads.get(base)
        if payload is None:
            payload = self._payloads[base] = self._pack(base)
        gone = "gone" if payload.removes else ""
        words = (self._snapshot.id, base, str(self._keep), payload.digest, gone)
        line = quote(["sh", "-c", worker_script(), "tpuherd", *words])
        call = sync_call(self._snapshot.id, base, self._keep, payload)
        return RemoteCommand(command=line, stdin=payload.content or None, call=call)

    def _pack(self, base: str) -> Payload:
        if base == UNKNOWN:
            return Payload(content=b"", changed=0, removes=False)
        start = EMPTY_TREE if base == NOTHING else base
        return pack(Delta(store=self._snapshot.store, base=start, tree=self._snapshot.id))
