"""What this store knows about the TPUs of the fleet: jobs, reservations, other names."""

from __future__ import annotations

import getpass
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tpuherd.cloud.labels import label_value
from tpuherd.store.aliases import MachineName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.fleet.tpu import Tpu
    from tpuherd.store.aliases import Alias
    from tpuherd.store.reservations import Reservation
    from tpuherd.store.store import Store

UNKNOWN_JOB = "elsewhere"
"""State of a job that this store does not have: another store does, or nobody any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """What the store said at one moment."""

    user: str
    """Who asks."""
    jobs: dict[str, str] = field(default_factory=dict)
    """State of each job, by its id as labels spell it."""
    holds: tuple[Reservation, ...] = ()
    """Reservations that have not expired."""
    aliases: tuple[Alias, ...] = ()
    claims: dict[str, str] = field(default_factory=dict)
    """Jobs that use machines which exist already, by `NAME@ZONE`."""

    def is_mine(self, tpu: Tpu) -> bool:
        """True if the user who asks made it, whatever its name."""
        return bool(tpu.owner) and tpu.owner == label_value(self.user)

    def job_on(self, tpu: Tpu) -> str:
        """The job that uses it: the one that has claimed it, else the one that it was made for."""
        return self.claims.get(tpu.place, tpu.job)

    def job_state(self, tpu: Tpu) -> str:
        """The state of the job that uses it; empty without a job."""
        if tpu.place in self.claims:
            return "live"
        return self.jobs.get(tpu.job, UNKNOWN_JOB) if tpu.job else ""

    def in_use(self, tpu: Tpu) -> bool:
        """True if a job may still use it: one that is live here, or one that only others know."""
        return self.job_state(tpu) in {"live", "paused", UNKNOWN_JOB}

    def hold_on(self, tpu: Tpu) -> Reservation | None:
        """Its reservation, whoever has it."""
        machine = MachineName(name=tpu.name, zone=tpu.zone)
        return next((hold for hold in self.holds if hold.covers(machine)), None)

    def held_by_another(self, tpu: Tpu) -> bool:
        """True if somebody else has reserved it."""
        hold = self.hold_on(tpu)
        return hold is not None and hold.owner != self.user

    def names_of(self, tpu: Tpu) -> tuple[str, ...]:
        """Its aliases."""
        return tuple(a.alias for a in self.aliases if a.resource == tpu.name and a.zone in ("", tpu.zone))

    def is_free(self, tpu: Tpu) -> bool:
        """True if one could use it now, as far as API and store can tell."""
        ready = tpu.state == "READY" and tpu.healthy
        return ready and not self.in_use(tpu) and not self.held_by_another(tpu)


def know(store: Store, tpus: Sequence[Tpu]) -> Knowledge:
    """Ask the store about the jobs, reservations and aliases of these TPUs."""
    wanted = {tpu.job for tpu in tpus if tpu.job}
    states = {label_value(job.id): job.state.value for job in store.jobs.all()} if wanted else {}
    return Knowledge(
        user=getpass.getuser(),
        jobs={job: state for job, state in states.items() if job in wanted},
        holds=tuple(store.reservations.all()),
        aliases=tuple(store.aliases.all()),
        claims=store.claims.all(),
    )
