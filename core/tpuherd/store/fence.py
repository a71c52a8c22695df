"""What only a job's controller writes: refused, as a whole, to one that another has taken the job from."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlalchemy import select

from tpuherd.engine.leaving import Left
from tpuherd.store.held import is_held
from tpuherd.store.leases import this_process
from tpuherd.store.tables import leases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, Engine


@contextmanager
def driving(engine: Engine, job_id: str) -> Iterator[Connection]:
    """A transaction of whoever drives a job.

    A process that stood still for longer than its lease lives does not know yet that it has lost it. The
    lease is read after what was written: SQLite lets nobody take it from then on until the end of this.

    Raises:
        Left: another process drives the job, or has done so; nothing was written.
    """
    with engine.begin() as connection:
        yield connection
        holder = connection.execute(select(leases.c.holder).where(leases.c.job_id == job_id)).scalar()
        if holder != this_process() and (holder is not None or is_held(engine, job_id)):
            raise Left
