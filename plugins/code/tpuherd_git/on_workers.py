"""Fetching on the workers, with the credentials that they have; all end up with the same commit."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from tpuherd import SyncedCode, SyncError
from tpuherd.code.importing import editable_folders
from tpuherd.code.sending import FOLDER, own_script
from tpuherd.remote import quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd import Allocation, Job
    from tpuherd.remote import RemoteWorkers
    from tpuherd_git.config import GitSection

WHATEVER = "any"
"""Instead of a commit: what the ref is now."""


def fetch_there(job: Job, allocation: Allocation, section: GitSection) -> SyncedCode:
    """Let each worker fetch the commit.

    Raises:
        SyncError: one cannot, or has another commit than the others.
    """
    remote = job.session.workers(allocation, job.cloud.ssh)
    fetching = _Fetching(job, remote, section)
    commits = fetching.on([worker.index for worker in allocation.workers], WHATEVER)
    first = commits[allocation.workers[0].index]
    behind = [index for index, commit in commits.items() if commit != first]
    if behind:  # the branch moved between two fetches
        commits |= fetching.on(behind, first)
    wrong = [f"w{index} has {commit[:12]}" for index, commit in commits.items() if commit != first]
    if wrong:
        raise SyncError(f"git.ref: the first worker has {first[:12]}, but {', '.join(wrong)}")
    job.session.note(f"commit {first} on {len(commits)} workers")
    return SyncedCode(
        kind="git",
        snapshot=first,
        directory=f"{FOLDER}/{first}",
        commit=first,
        import_roots=_import_roots(job),
    )


class _Fetching:
    def __init__(self, job: Job, remote: RemoteWorkers, section: GitSection) -> None:
        self._job = job
        self._remote = remote
        self._section = section

    def on(self, workers: Sequence[int], commit: str) -> dict[int, str]:
        """Worker index to the commit that it has now."""
        done = self._remote.run(self._line(commit), workers=workers, timeout_s=self._section.timeout_s)
        done.require(SyncError, f"fetching {self._section.ref} of {self._section.url} on the workers")
        said = {result.worker.index: result.stdout.split() for result in done.results}
        if any("lfs" in words for words in said.values()):
            self._job.session.note("large files (LFS) are pointers on workers without git-lfs")
        return {worker: words[-1] for worker, words in said.items()}

    def _line(self, commit: str) -> str:
        script = own_script() + files("tpuherd_git").joinpath("fetch.sh").read_text()
        words = (
            str(self._section.url),
            self._section.refspec,
            str(self._section.depth or 0),
            str(self._job.spec.code.keep_snapshots),
            commit,
        )
        return quote(["sh", "-c", script, "tpuherd", *words])


def _import_roots(job: Job) -> tuple[str, ...]:
    """The files are not here to be looked at: both layouts, Python passes over a folder that is not there."""
    folders = editable_folders(job.spec.code.editable)
    return tuple(root for folder in folders for root in (f"{folder}/src", folder))
