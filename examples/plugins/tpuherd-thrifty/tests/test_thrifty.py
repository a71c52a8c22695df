"""The policy as a table: what it decides about which past."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tpuherd import AttemptRecord, ConfigError, Diagnosis, FailureClass, GiveUp, ReplaceSlice
from tpuherd.hooks import Hooks
from tpuherd.model.scene import Scene

if TYPE_CHECKING:
    from pluggy import PluginManager

    from tpuherd import Recovery
    from tpuherd.testing import JobFactory

SPOT = {"accelerator": "v5litepod-16", "zone": "us-west4-a", "pricing": "spot"}


def decided(factory: JobFactory, manager: PluginManager, hours: float, before: int) -> Recovery | None:
    job = factory({"tpu": SPOT, "recovery": {"policy": "thrifty"}, "thrifty": {"usd": 20.0}})
    scene = Scene(stage="run_workload", ran_s=hours * 3600, usable=False)
    lost = Diagnosis(failure=FailureClass.PREEMPTED, evidence=("it went",), scene=scene)
    past = AttemptRecord(number=1, diagnosis=lost, recovery="ReplaceSlice", started_at=0.0, ended_at=1.0)
    return Hooks(manager, job.spec).recover(job=job, diagnosis=lost, history=[past] * before)


def test_cheap_failures_are_recovered(job_factory: JobFactory, tpuherd_plugins: PluginManager) -> None:
    assert isinstance(decided(job_factory, tpuherd_plugins, hours=0.5, before=3), ReplaceSlice)


def test_too_expensive_ones_are_not(job_factory: JobFactory, tpuherd_plugins: PluginManager) -> None:
    decision = decided(job_factory, tpuherd_plugins, hours=1.0, before=3)
    assert isinstance(decision, GiveUp)
    assert "thrifty.usd allows 20.00" in decision.reason


def test_the_section_is_checked(job_factory: JobFactory) -> None:
    with pytest.raises(ConfigError, match=r"thrifty\.usd"):
        job_factory({"recovery": {"policy": "thrifty"}, "thrifty": {"usd": -1.0}})
