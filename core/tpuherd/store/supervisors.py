"""Supervisors: at most one of a name, and what each says about itself."""

from __future__ import annotations

import getpass
import json
import socket
import time
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from tpuherd.store.leases import LEASE_S, is_gone, this_process
from tpuherd.store.tables import supervisors

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Engine


@dataclass(frozen=True, slots=True, kw_only=True)
class SupervisorStatus:
    """What a supervisor says about itself, at most some seconds old."""

    pid: int
    host: str
    since: float
    """When it began, in Unix seconds."""
    on_demand: bool
    """It was started by a command, and ends when there is nothing to do."""
    likeness: str
    """Two processes of the same likeness would do the same for a job."""
    driven: int = 0
    """Jobs that it drives now."""
    aside: int = 0
    """Jobs that it cannot drive now: `tpuherd list` says why."""
    api_calls: dict[str, int] = field(default_factory=dict)
    """Calls to the TPU API since it began, by method."""
    api_calls_per_s: float = 0.0
    """Lately."""
    rss_mib: float = 0.0
    cpu_share: float = 0.0
    """Of one core, lately."""


def own_name() -> str:
    """The name of this user's supervisor on this machine: jobs keep files where they were made."""
    return f"{getpass.getuser()}@{socket.gethostname()}"[-160:]


class SupervisorStore:
    """Registers supervisors; like a lease, it has to be renewed."""

    def __init__(self, engine: Engine) -> None:
        """Keep the database engine."""
        self._engine = engine

    def get(self, name: str) -> SupervisorStatus | None:
        """The supervisor of a name, if it lives."""
        query = select(supervisors).where(supervisors.c.name == name, supervisors.c.expires_at > time.time())
        with self._engine.connect() as connection:
            row = connection.execute(query).one_or_none()
        if row is None or is_gone(row.holder):
            return None
        return SupervisorStatus(**json.loads(row.status))

    def register(self, name: str, status: SupervisorStatus) -> bool:
        """Try to become the supervisor of a name; false if there is one."""
        with self._engine.connect() as connection:
            row = connection.execute(select(supervisors).where(supervisors.c.name == name)).one_or_none()
        if row is not None and row.expires_at > time.time() and not is_gone(row.holder):
            return bool(row.holder == this_process())
        seen = (supervisors.c.name == name) & (supervisors.c.holder == (row.holder if row else ""))
        try:
            with self._engine.begin() as connection:
                connection.execute(delete(supervisors).where(seen))
                connection.execute(insert(supervisors).values(name=name, **_values(status)))
        except IntegrityError:  # somebody was quicker
            return False
        return True

    def renew(self, name: str, status: SupervisorStatus) -> bool:
        """Go on being the supervisor, and say how it goes; false if somebody else is it by now."""
        with self._engine.begin() as connection:
            done = connection.execute(update(supervisors).where(_ours(name)).values(**_values(status)))
        return done.rowcount == 1

    def leave(self, name: str) -> None:
        """Be the supervisor no longer; another one stays."""
        with self._engine.begin() as connection:
            connection.execute(delete(supervisors).where(_ours(name)))


def _values(status: SupervisorStatus) -> dict[str, object]:
    text = json.dumps(asdict(status))
    return {"holder": this_process(), "expires_at": time.time() + LEASE_S, "status": text}


def _ours(name: str) -> ColumnElement[bool]:
    return (supervisors.c.name == name) & (supervisors.c.holder == this_process())
