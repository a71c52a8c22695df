"""Recovers as the default policy does, until failures have cost too much: `recovery.policy: thrifty`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import AttemptRecord, ConfigSection, Diagnosis, GiveUp, Job, Recovery, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def config_section() -> ConfigSection:
    """The `thrifty` section of the job file."""
    from tpuherd_thrifty.config import ThriftySection  # loads pydantic, which not every command needs

    return ConfigSection(name="thrifty", model=ThriftySection, description="How much failures may cost.")


@hookimpl
def recover(job: Job, diagnosis: Diagnosis, history: Sequence[AttemptRecord]) -> Recovery | None:
    """Give up when it was too expensive; else climb the ladder that tpuherd uses by default."""
    from tpuherd.recovery.case import Case
    from tpuherd.recovery.ladder import climb
    from tpuherd.recovery.ladders import USUAL
    from tpuherd_thrifty.config import ThriftySection

    limit, spent = job.spec.section(ThriftySection).usd, _lost_usd(job, diagnosis, history)
    if spent > limit:
        return GiveUp(reason=f"failed attempts have cost {spent:.2f} USD; thrifty.usd allows {limit:.2f}")
    return climb(Case(job=job, diagnosis=diagnosis, history=history, zones=job.spec.tpu.zones), USUAL)


def _lost_usd(job: Job, diagnosis: Diagnosis, history: Sequence[AttemptRecord]) -> float:
    """What the time has cost in which the workload ran and then failed."""
    tpu = job.spec.tpu
    price = (tpu.first_placement.price_per_hour(tpu.pricing) or 0.0) * tpu.slices
    scenes = [diagnosis.scene, *(record.diagnosis.scene for record in history)]
    return price * sum(scene.ran_s or 0.0 for scene in scenes) / 3600
