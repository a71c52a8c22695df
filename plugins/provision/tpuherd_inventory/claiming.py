"""From machines that fit to an allocation: claimed by this job, and seen to be usable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import Allocation, ProvisionError
from tpuherd.cloud.polling import poll
from tpuherd_inventory.checking import unusable
from tpuherd_inventory.config import InventorySection
from tpuherd_inventory.finding import find
from tpuherd_inventory.remembering import opened

if TYPE_CHECKING:
    from tpuherd import Job, Slice
    from tpuherd.store.store import Store
    from tpuherd_inventory.machine import Machine


def get_machines(job: Job) -> Allocation:
    """Claim as many machines as the job has slices, or wait for them if the job file says so.

    Raises:
        ConfigError: the list of machines is wrong, or the named machine is not there.
        ProvisionError: too few can be used; for each of the others why.
    """
    with opened() as store:
        claiming = Claiming(job, store)
        return _wait_for(job, claiming) if job.spec.tpu.wait_for_capacity else claiming.now()


def _wait_for(job: Job, claiming: Claiming) -> Allocation:
    return poll(
        job,
        claiming.maybe,
        what="the wait for a free machine (`tpu.provision_timeout_s`)",
        timeout_s=job.spec.tpu.provision_timeout_s,
    )


class Claiming:
    """One job's way to its machines."""

    def __init__(self, job: Job, store: Store) -> None:
        """Keep the parts; nothing is claimed yet."""
        self._job = job
        self._store = store
        self._section = job.spec.section(InventorySection)

    def now(self) -> Allocation:
        """The machines, if there are enough of them that can be used; else nothing stays claimed."""
        found, reasons = self._take(self._own_first(find(self._job, self._store)))
        wanted = self._job.spec.tpu.slices
        if len(found) == wanted:
            return Allocation(slices=tuple(found), project=self._job.cloud.project)
        self._store.claims.give_back(self._job.id)
        told = "".join(f"\n  {reason}" for reason in reasons) or "\n  none of that type or name is there"
        raise ProvisionError(f"{len(found)} of {wanted} machines can be used now:{told}")

    def maybe(self) -> Allocation | None:
        """The same, with `None` for too few."""
        try:
            return self.now()
        except ProvisionError as error:
            self._job.session.note(str(error))
            return None

    def _own_first(self, machines: list[Machine]) -> list[Machine]:
        """What an interrupted call has claimed for this job is found again."""
        own = self._store.claims.of_job(self._job.id)
        return sorted(machines, key=lambda machine: not own.intersection(machine.claims))

    def _take(self, machines: list[Machine]) -> tuple[list[Slice], list[str]]:
        taken: list[Slice] = []
        reasons: list[str] = []
        for machine in machines:
            if len(taken) == self._job.spec.tpu.slices:
                break
            self._job.session.checkpoint()
            piece = machine.to_slice(len(taken), sum(len(other.workers) for other in taken))
            reason = self._against(machine) or self._quarantined(piece) or self._claimed(machine, piece)
            reasons += [f"{machine.known_as} ({machine.accelerator}): {reason}"] if reason else []
            taken += [] if reason else [piece]
        return taken, reasons

    def _against(self, machine: Machine) -> str:
        """Why it cannot be had, as far as file, API and store can tell."""
        if machine.obstacle:
            return machine.obstacle
        if self._section.chosen != "match" and machine.accelerator not in self._job.spec.tpu.accelerators:
            wanted = " or ".join(self._job.spec.tpu.accelerators)
            return f"the job wants a {wanted}: change tpu.accelerator, or use inventory.match"
        reserved = self._store.reservations.against(machine.known_as, self._job.owner)
        return f"{reserved}; inventory.force takes it" if reserved and not self._section.force else ""

    def _quarantined(self, piece: Slice) -> str:
        """Why a machine on which the job has failed twice is left alone."""
        bad = [w.name for w in piece.workers if w.host_key_name in self._job.attempt.quarantined]
        return f"{', '.join(bad)} was to blame for two failures of this job" if bad else ""

    def _claimed(self, machine: Machine, piece: Slice) -> str:
        """Claim it and look at it; a machine that turns out unusable is not kept."""
        holder = self._store.claims.take(self._job.id, machine.claims)
        if holder:
            return f"job {holder} uses it"
        reason = unusable(self._job, machine, piece)
        if reason:
            self._store.claims.give_back(self._job.id, machine.claims)
        return reason
