"""One failure as a policy looks at it: what came before, and what could help at all."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from tpuherd.model.failure import FailureClass
from tpuherd.recovery.backoff import pause_s
from tpuherd.recovery.budgets import spent
from tpuherd.recovery.progress import since_progress
from tpuherd.recovery.quarantine import quarantined
from tpuherd.recovery.zones import avoided, next_zone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.config.recovery import RecoverySection
    from tpuherd.model.failure import AttemptRecord, Diagnosis
    from tpuherd.model.job import Job

NO_CAPACITY = frozenset({FailureClass.STOCKOUT, FailureClass.QUOTA})
WORKLOAD = "run_workload"
PROVISION = "provision"


class Step(Enum):
    """What can be done, the cheapest first."""

    WAIT = "wait"
    RESTART = "restart in place"
    CLEAN = "clean and restart"
    REPLACE = "replace the slices"
    MOVE = "move to another zone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A failure, the failures before it, and the zones where the job may be."""

    job: Job
    diagnosis: Diagnosis
    history: Sequence[AttemptRecord]
    """Earlier failures, oldest first."""
    zones: tuple[str, ...]

    @property
    def terms(self) -> RecoverySection:
        """The section of the job file."""
        return self.job.spec.recovery

    @property
    def diagnoses(self) -> list[Diagnosis]:
        """Of all failures, the present one last."""
        return [*(record.diagnosis for record in self.history), self.diagnosis]

    @property
    def repeats(self) -> int:
        """How often a failure of this class came before, since the work came further last."""
        counted = since_progress(self.history, self.diagnosis, self.terms.stable_after_s)
        return spent(counted, self.diagnosis.failure)

    @property
    def held_before(self) -> bool:
        """True if the job has ever had slices."""
        return any(one.scene.held_s is not None for one in self.diagnoses)

    @property
    def zone(self) -> str:
        """Where it failed."""
        return self.diagnosis.scene.zone or self.job.attempt.zone or self.job.spec.tpu.zone

    @property
    def avoided_zones(self) -> frozenset[str]:
        """Zones that have given short-lived slices twice."""
        return avoided(self.terms, self.diagnoses, self.diagnosis.scene.at)

    @property
    def elsewhere(self) -> str | None:
        """Another zone that may have slices; `None` if there is none, or if all were just asked."""
        return next_zone(self.zones, self.zone, self.avoided_zones | self._just_asked)

    @property
    def bad_host(self) -> bool:
        """True if the blamed worker was blamed before."""
        return self.diagnosis.scene.host in quarantined(self.diagnoses)

    def pause_s(self, repeats: int) -> float:
        """How long to wait after so many failures of this class, in seconds."""
        seed = f"{self.job.id}/{self.job.attempt.number}/{self.diagnosis.failure.value}"
        return pause_s(self.terms.backoff, repeats, seed)

    def can_help(self, step: Step) -> bool:
        """True if a step is possible, and not known to be in vain."""
        scene = self.diagnosis.scene
        if step is Step.WAIT:
            return scene.stage not in {"", WORKLOAD}
        if step is Step.RESTART:
            return scene.stage in {"", WORKLOAD} and self._workers_are_good
        if step is Step.CLEAN:
            return scene.stage != PROVISION and self._workers_are_good
        return step is not Step.MOVE or self.elsewhere is not None

    @property
    def _workers_are_good(self) -> bool:
        return self.diagnosis.scene.usable is not False and not self.bad_host

    @property
    def _just_asked(self) -> frozenset[str]:
        """A job that no recovery has moved asks in all zones of its file before it fails."""
        everywhere = self.diagnosis.scene.stage == PROVISION and self.job.attempt.zone is None
        return frozenset(self.job.spec.tpu.zones) if everywhere else frozenset()
