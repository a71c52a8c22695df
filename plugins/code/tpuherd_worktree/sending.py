"""Sending a snapshot to the workers that do not have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import SyncedCode, SyncError
from tpuherd.remote import quote
from tpuherd_worktree.snapshot import take_snapshot

if TYPE_CHECKING:
    from tpuherd import Allocation, Job

TIMEOUT_S = 600.0
FOLDER = ".tpuherd/code"

HAVE = 'test -d "$HOME/.tpuherd/code/$0" && echo present || echo absent'
UNPACK = """
set -e
cd "$HOME/.tpuherd/code" 2> /dev/null || { mkdir -p "$HOME/.tpuherd/code"; cd "$HOME/.tpuherd/code"; }
fresh=$(mktemp -d "./new-$0-XXXXXX")
trap 'rm -rf "$fresh"' EXIT
tar -xzf - -C "$fresh"
chmod 755 "$fresh"
mv -T "$fresh" "$0" 2> /dev/null || test -d "$0"
"""
"""Unpack beside, then rename: a folder of that name is always whole, and is never changed afterwards."""


def send(job: Job, allocation: Allocation) -> SyncedCode:
    """Send the working tree of `code.path`.

    Raises:
        SyncError: it cannot be read here, or did not arrive somewhere.
    """
    snapshot = take_snapshot((job.base_directory / job.spec.code.path).resolve())
    remote = job.session.workers(allocation, job.cloud.ssh)
    have = remote.run(quote(["bash", "-c", HAVE, snapshot.id]), timeout_s=TIMEOUT_S)
    have.require(SyncError, "asking for the code's snapshot")
    missing = [result.worker.index for result in have.results if result.stdout.strip() != "present"]
    size = len(snapshot.archive) / 2**20
    job.session.note(
        f"snapshot {snapshot.id}: {snapshot.files} files, {size:.1f} MiB to {len(missing)} workers"
    )
    if missing:
        unpack = quote(["bash", "-c", UNPACK, snapshot.id])
        sent = remote.run(unpack, workers=missing, stdin=snapshot.archive, timeout_s=TIMEOUT_S)
        sent.require(SyncError, "unpacking the code")
    return SyncedCode(
        kind="worktree",
        snapshot=snapshot.id,
        directory=f"{FOLDER}/{snapshot.id}",
        commit=snapshot.commit,
        dirty=snapshot.dirty,
    )
