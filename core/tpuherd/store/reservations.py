"""Reservations: a machine that a user keeps for himself until some moment."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select
from sqlalchemy.exc import IntegrityError

from tpuherd.errors import StateError
from tpuherd.output.tables import duration
from tpuherd.store.records import to_record
from tpuherd.store.tables import reservations

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

    from tpuherd.store.aliases import MachineName


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """One machine, kept for one user."""

    resource: str
    """`NAME`, or `NAME@ZONE`; without a zone it holds in all zones."""
    owner: str
    reason: str
    until: float
    """Seconds since the epoch; from then on it counts for nothing."""
    created_at: float

    def covers(self, machine: MachineName) -> bool:
        """True if it is about this machine; a zone that is not given may be any."""
        name, _, zone = self.resource.partition("@")
        return name == machine.name and (not zone or not machine.zone or zone == machine.zone)

    def __str__(self) -> str:
        why = f" ({self.reason})" if self.reason else ""
        left_s = max(0.0, self.until - time.time())
        return f"{self.resource} is reserved by {self.owner} for another {duration(left_s)}{why}"


class ReservationStore:
    """Makes, shows and drops reservations; those that are over are not seen, and go with the next change."""

    def __init__(self, engine: Engine) -> None:
        """Keep the database engine."""
        self._engine = engine

    def all(self) -> list[Reservation]:
        """All that hold now, by name of the machine."""
        with self._engine.connect() as connection:
            return _now(connection)

    def of(self, machine: MachineName) -> list[Reservation]:
        """Those that hold now for one machine."""
        return [one for one in self.all() if one.covers(machine)]

    def against(self, machine: MachineName, user: str) -> Reservation | None:
        """The reservation that keeps a machine from this user, if there is one."""
        return next((one for one in self.of(machine) if one.owner != user), None)

    def require_free(self, machine: MachineName, user: str) -> None:
        """Nothing, unless somebody else has reserved the machine.

        Raises:
            StateError: who has, until when and why.
        """
        found = self.against(machine, user)
        if found:
            raise StateError(f"{found}: wait, ask them, or add --force")

    def make(self, new: Reservation, machine: MachineName, *, force: bool) -> None:
        """Reserve a machine, or change one's own reservation.

        Args:
            new: what holds from now on.
            machine: the machine that it is about.
            force: replace what others have reserved.

        Raises:
            StateError: somebody else has reserved it, and `force` was not given.
        """
        try:
            with self._engine.begin() as connection:
                self._clear(connection, machine, new.owner, force=force)
                connection.execute(insert(reservations).values(**asdict(new)))
        except IntegrityError as error:
            raise StateError(f"{new.resource} was reserved by somebody else at this moment") from error

    def drop(self, machine: MachineName, user: str, *, force: bool) -> list[Reservation]:
        """Give reservations of a machine back, and return them.

        Raises:
            StateError: there is none, or one is somebody else's and `force` was not given.
        """
        with self._engine.begin() as connection:
            dropped = self._clear(connection, machine, user, force=force)
        if not dropped:
            raise StateError(f"{machine} is not reserved: `tpuherd tpus.reservations` shows all")
        return dropped

    def _clear(
        self, connection: Connection, machine: MachineName, user: str, *, force: bool
    ) -> list[Reservation]:
        """Take away what this user may take away; the first statement writes, and so locks out others."""
        connection.execute(delete(reservations).where(reservations.c.until <= time.time()))
        found = [one for one in _now(connection) if one.covers(machine)]
        others = [one for one in found if one.owner != user]
        if others and not force:
            raise StateError(f"{others[0]}: only they may change that, or --force")
        gone = [one.resource for one in found]
        connection.execute(delete(reservations).where(reservations.c.resource.in_(gone)))
        return found


def _now(connection: Connection) -> list[Reservation]:
    query = select(reservations).where(reservations.c.until > time.time()).order_by(reservations.c.resource)
    return [to_record(Reservation, row) for row in connection.execute(query).all()]
