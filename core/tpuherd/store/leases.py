"""Leases: at most one controller drives a job."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import ColumnElement, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from tpuherd.store.held import hold, let_go
from tpuherd.store.tables import leases

if TYPE_CHECKING:
    from sqlalchemy import Engine

LEASE_S = 20.0
"""How long a lease lives without being renewed: how long a dead controller elsewhere is waited for."""


def this_process() -> str:
    """Who we are."""
    return process_name(os.getpid())


def process_name(pid: int) -> str:
    """A process of this machine: host, pid and start time, so that a reused pid is not its predecessor."""
    return f"{socket.gethostname()}:{pid}:{_start_ticks(pid)}"


def is_gone(holder: str) -> bool:
    """True if the holder was a process of this machine that exists no more."""
    host, pid, ticks = holder.rsplit(":", 2)
    return host == socket.gethostname() and _start_ticks(int(pid)) != ticks


def holder_pid(holder: str) -> int:
    """The pid in a holder's name."""
    return int(holder.rsplit(":", 2)[1])


def _start_ticks(pid: int) -> str:
    """Start time from `/proc`; a zombie counts as gone; `?` where there is no such process."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return "?"
    return "?" if fields[0] in {"Z", "X"} else fields[19]


def new_lease(job_id: str, holder: str) -> dict[str, object]:
    """The row of a lease that begins now."""
    return {"job_id": job_id, "holder": holder, "expires_at": time.time() + LEASE_S}


class LeaseStore:
    """Takes, renews and gives back leases."""

    def __init__(self, engine: Engine) -> None:
        """Keep the database engine."""
        self._engine = engine

    def take(self, job_id: str) -> str | None:
        """Try to take a job's lease.

        Returns:
            `None` if it is ours now, else who holds it.
        """
        holder = self.holder(job_id)
        if holder and holder != this_process() and not is_gone(holder):
            return holder
        return self._replace(job_id, holder)

    def holder(self, job_id: str) -> str | None:
        """Who holds the job's lease; `None` if nobody does or it has expired."""
        query = select(leases.c.holder).where(leases.c.job_id == job_id, leases.c.expires_at > time.time())
        with self._engine.connect() as connection:
            return connection.execute(query).scalar()

    def driver(self, job_id: str) -> str | None:
        """Who drives the job: the holder, unless it is known to be dead."""
        holder = self.holder(job_id)
        return None if holder is None or is_gone(holder) else holder

    def is_ours(self, job_id: str) -> bool:
        """True while nobody has taken our lease, whatever the time is."""
        query = select(leases.c.holder).where(leases.c.job_id == job_id)
        with self._engine.connect() as connection:
            return connection.execute(query).scalar() == this_process()

    def renew(self, job_id: str) -> bool:
        """Prolong our lease; `False` if it is not ours any more."""
        ours = (leases.c.job_id == job_id) & (leases.c.holder == this_process())
        with self._engine.begin() as connection:
            done = connection.execute(update(leases).where(ours).values(expires_at=time.time() + LEASE_S))
        return done.rowcount == 1

    def give_back(self, job_id: str) -> None:
        """Give our lease back; another's stays."""
        ours = (leases.c.job_id == job_id) & (leases.c.holder == this_process())
        with self._engine.begin() as connection:
            connection.execute(delete(leases).where(ours))
        let_go(self._engine, job_id)

    def renew_all(self) -> None:
        """Prolong all leases of this process, in one statement."""
        with self._engine.begin() as connection:
            connection.execute(update(leases).where(_ours()).values(expires_at=time.time() + LEASE_S))

    def give_back_all(self) -> None:
        """Give all leases of this process back, in one statement."""
        with self._engine.begin() as connection:
            connection.execute(delete(leases).where(_ours()))

    def ask_for(self, job_id: str) -> None:
        """Ask whoever holds the job's lease for it; a supervisor hands it over, anybody else keeps it."""
        with self._engine.begin() as connection:
            connection.execute(
                update(leases).where(leases.c.job_id == job_id).values(asked_by=this_process())
            )

    def hand_over(self, job_id: str, to: str) -> None:
        """Make our lease somebody else's; nobody else can take it in between."""
        ours = (leases.c.job_id == job_id) & _ours()
        theirs = {"holder": to, "expires_at": time.time() + LEASE_S, "asked_by": None}
        with self._engine.begin() as connection:
            connection.execute(update(leases).where(ours).values(**theirs))
        let_go(self._engine, job_id)

    def _replace(self, job_id: str, seen: str | None) -> str | None:
        """Put ourselves in place of what we saw; if somebody was quicker, they hold it."""
        dead = (leases.c.job_id == job_id) & (
            (leases.c.holder == seen)
            | (leases.c.expires_at <= time.time())
            | (leases.c.holder == this_process())
        )
        try:
            with self._engine.begin() as connection:
                connection.execute(delete(leases).where(dead))
                connection.execute(insert(leases).values(**new_lease(job_id, this_process())))
        except IntegrityError:
            return self.holder(job_id) or "somebody who was quicker"
        hold(self._engine, job_id)
        return None


def _ours() -> ColumnElement[bool]:
    return leases.c.holder == this_process()
