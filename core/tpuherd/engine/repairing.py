"""Repairing workers between two attempts, as `tpuherd solve` does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.solving.visit import Subject, solve

if TYPE_CHECKING:
    from tpuherd.engine.engine import Engine

NOTHING = Subject(packages_command="true", code_directory="")
"""What the workers have installed is not looked at: it is about to be prepared again."""


def repair(engine: Engine) -> None:
    """Remove what is safe to remove: leftovers of ended attempts, an unused lock file; the rest is told."""
    allocation = engine.allocation
    if allocation is None:
        return
    remote = engine.job.session.workers(allocation, engine.job.cloud.ssh)
    workers = [worker.index for worker in allocation.workers]
    for found in solve(remote, workers, NOTHING, repair=True):
        if found.text:
            engine.job.session.note(f"w{found.worker}: {found.check}: {found.text}")
