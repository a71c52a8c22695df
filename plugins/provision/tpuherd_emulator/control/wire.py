"""How requests and replies travel: JSON in gRPC calls of one service."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

SERVICE = "tpuherd.emulator.v1.Control"

METHODS = ("Fault", "Faults", "Clear", "Limit", "Limits", "Tick", "Speed", "Time", "Scenario")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockState:
    """The time of an emulated cloud."""

    now_s: float
    """Emulated seconds since it was started."""
    time: float
    """The emulated time of day, as Unix time in seconds."""
    speed: float
    """Emulated seconds per real second; 0: it stands still until a tick."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitState:
    """A limit of chips, and what of it is used."""

    limit: str
    place: str
    generation: str
    market: str
    chips: int
    used: int


def packed(value: Any) -> bytes:
    """Serialize a request or reply."""
    return json.dumps(value).encode()


def unpacked(data: bytes) -> Any:
    """Read a request or reply."""
    return json.loads(data)
