"""The stages of an attempt, and their values as JSON."""

from __future__ import annotations

from enum import Enum
from functools import cache
from typing import Any


class Stage(Enum):
    """What an attempt consists of, in this order."""

    PROVISION = "provision"
    EQUIP_WORKERS = "equip_workers"
    """Only if a plugin has something to do there."""
    PREPARE_ENV = "prepare_env"
    SYNC_CODE = "sync_code"
    RUN_WORKLOAD = "run_workload"
    COLLECT = "collect"
    RELEASE = "release"


@cache
def _adapter(stage: Stage) -> Any:
    """For the type of the stage's value."""
    from pydantic import TypeAdapter

    from tpuherd.model.allocation import Allocation
    from tpuherd.model.outcome import CollectedResults, Environment, SyncedCode, WorkloadExit

    types: dict[Stage, Any] = {
        Stage.PROVISION: Allocation,
        Stage.EQUIP_WORKERS: None,
        Stage.PREPARE_ENV: Environment,
        Stage.SYNC_CODE: SyncedCode,
        Stage.RUN_WORKLOAD: WorkloadExit,
        Stage.COLLECT: CollectedResults | None,
        Stage.RELEASE: None,
    }
    return TypeAdapter(types[stage])


def prepare_values() -> None:
    """Make what reads and writes the values, for a process that others are forked from."""
    for stage in Stage:
        _adapter(stage)


def encode(stage: Stage, value: Any) -> str:
    """A stage's value as JSON text.

    Raises:
        ValueError: the value is not of the stage's type: a plugin returned something else.
    """
    checked = _adapter(stage).validate_python(value, strict=True)
    return str(_adapter(stage).dump_json(checked).decode())


def decode(stage: Stage, text: str) -> Any:
    """A stage's value from JSON text."""
    return _adapter(stage).validate_json(text)
