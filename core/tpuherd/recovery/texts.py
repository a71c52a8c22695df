"""Diagnoses and decisions as JSON, for the store."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import cache
from typing import Any

from tpuherd.errors import PluginError
from tpuherd.model.failure import (
    CleanAndRestart,
    Diagnosis,
    GiveUp,
    MoveZone,
    Recovery,
    ReplaceSlice,
    RerunFromScratch,
    RestartInPlace,
    Wait,
)

KINDS: tuple[type[Recovery], ...] = (
    Wait,
    RestartInPlace,
    CleanAndRestart,
    ReplaceSlice,
    MoveZone,
    RerunFromScratch,
    GiveUp,
)
"""What core can carry out."""


def recovery_text(recovery: Recovery) -> str:
    """A decision as JSON.

    Raises:
        PluginError: a policy decided something that core does not know.
    """
    kind = next((kind for kind in KINDS if isinstance(recovery, kind)), None)
    if kind is None:
        raise PluginError(
            f"the recovery policy decided {type(recovery).__name__}, which core cannot carry out; "
            f"it knows {', '.join(known.__name__ for known in KINDS)}"
        )
    known = {name: value for name, value in asdict(recovery).items() if name in kind.__dataclass_fields__}
    return json.dumps({"kind": kind.__name__} | known)


def recovery_of(text: str) -> Recovery:
    """A decision from JSON."""
    values = json.loads(text)
    kinds = {kind.__name__: kind for kind in KINDS}
    return kinds[values.pop("kind")](**values)


def diagnosis_text(diagnosis: Diagnosis) -> str:
    """A diagnosis as JSON."""
    return str(_diagnoses().dump_json(diagnosis).decode())


def diagnosis_of(text: str) -> Diagnosis:
    """A diagnosis from JSON, also from that of an earlier version."""
    found: Diagnosis = _diagnoses().validate_json(text)
    return found


@cache
def _diagnoses() -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(Diagnosis)
