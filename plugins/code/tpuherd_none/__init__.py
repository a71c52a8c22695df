"""No code to send: `code.sync: none`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import SyncedCode, hookimpl

if TYPE_CHECKING:
    from tpuherd import Allocation, Job


@hookimpl
def sync_code(job: Job, allocation: Allocation) -> SyncedCode | None:  # noqa: ARG001 - there is nothing to send
    """Send nothing; the workload starts in the home folder."""
    return SyncedCode(kind="none", snapshot="", directory="")
