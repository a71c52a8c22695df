"""Leases that this process has taken and not given back: somebody else may have them by now."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import Engine

_held: set[tuple[str, str]] = set()
"""Addresses of stores, and ids of jobs."""


def hold(engine: Engine, job_id: str) -> None:
    """From now on, this process writes about a job only while the lease is its own."""
    _held.add((str(engine.url), job_id))


def let_go(engine: Engine, job_id: str) -> None:
    """It drives the job no more."""
    _held.discard((str(engine.url), job_id))


def is_held(engine: Engine, job_id: str) -> bool:
    """True if this process has taken the job's lease, whoever may have it now."""
    return (str(engine.url), job_id) in _held
