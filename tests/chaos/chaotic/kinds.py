"""The kinds of deeds, and how the settings of each are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd_emulator.faults.kinds import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

Drawn = tuple[dict[str, Any], float]
"""Settings, and how long it lasts before it is undone."""

CODES = ("INTERNAL", "UNKNOWN", "ABORTED", "DEADLINE_EXCEEDED", "UNAVAILABLE")
METHODS = ("*", "*", "Create*", "Delete*", "Get*", "List*")


def _call(random: Random, **more: Any) -> Drawn:
    return {"method": random.choice(METHODS), "count": random.randint(1, 6), **more}, 0.0


def _once(_random: Random, **more: Any) -> Drawn:
    return {"count": 1, **more}, 0.0


def _seconds(random: Random, least: float, most: float) -> float:
    return round(random.uniform(least, most), 2)


def _away(random: Random) -> float:
    """How long a worker is away: mostly shorter than the time after which it is given up, which is 10 s."""
    return _seconds(random, 0.5, 4) if random.random() < 0.7 else _seconds(random, 11, 14)


def _value(random: Random, kind: str) -> dict[str, Any]:
    return {"value": random.choice(KINDS[kind].values)}


FAULTS: dict[str, Callable[[Random], Drawn]] = {
    "api-down": _call,
    "api-error": lambda r: _call(r, code=r.choice(CODES)),
    "api-slow": lambda r: _call(r, delay_s=_seconds(r, 0.2, 1.5)),
    "api-hang": lambda r: _once(r, delay_s=_seconds(r, 1, 3)),
    "api-reset": _call,
    "rate-limit": _call,
    "permission": lambda r: _once(r, method=r.choice(METHODS)),
    "quota": lambda r: _once(r, **_value(r, "quota")),
    "stockout": lambda r: ({"count": r.randint(1, 2)}, 0.0),
    "reserved-capacity": _once,
    "preempted-in-creation": _once,
    "create-error": lambda r: _once(r, code=r.choice(CODES)),
    "slow-operation": lambda r: _once(r, delay_s=_seconds(r, 0.5, 2)),
    "lost-operation": _once,
    "stuck": lambda r: ({"count": 1}, _seconds(r, 1, 3)),
    "preempt": lambda r: ({"notice_s": r.choice((0.0, 0.5, 2.0))}, 0.0),
    "terminated": lambda _: ({}, 0.0),
    "maintenance": lambda r: (
        {"notice_s": _seconds(r, 0, 1), "delay_s": _seconds(r, 0.5, 2), **_value(r, "maintenance")},
        0.0,
    ),
    "repairing": lambda r: ({"delay_s": _seconds(r, 0.5, 2), **_value(r, "repairing")}, _seconds(r, 3, 5)),
    "restarting": lambda r: ({"delay_s": _seconds(r, 0.3, 2)}, 0.0),
    "reimaging": lambda r: ({"delay_s": _seconds(r, 0.3, 2)}, 0.0),
    "hidden": lambda r: (_value(r, "hidden"), _seconds(r, 1, 5)),
    "unhealthy": lambda r: (_value(r, "unhealthy"), _seconds(r, 1, 5)),
    "symptom": lambda r: (_value(r, "symptom"), _seconds(r, 1, 5)),
    "unreachable-worker": lambda r: ({"worker": 0}, _away(r)),
    "frozen-worker": lambda r: ({"worker": 0}, _away(r)),
    "power-off": lambda r: ({"worker": 0}, _away(r)),
    "dirty-device": lambda _: ({"worker": 0}, 0.0),
    "suspended-queue": lambda _: ({}, 0.0),
}
"""Every fault of the emulator but `heal`, which is how others end."""

OURS: dict[str, Callable[[Random], Drawn]] = {
    "kill-controller": lambda r: ({"pause_s": r.choice((0.0, 0.0, _seconds(r, 0, 3)))}, 0.0),
    "freeze-controller": lambda r: ({}, _seconds(r, 0.5, 3)),
    "second-controller": lambda _: ({}, 0.0),
    "usurper": lambda r: ({}, _seconds(r, 3, 7)),
    "kill-agent": lambda r: ({"worker": r.randint(0, 1)}, 0.0),
    "kill-work": lambda r: ({"worker": r.randint(0, 1), "signal": r.choice((6, 9, 11, 15))}, 0.0),
    "drop-connections": lambda _: ({"worker": 0}, 0.0),
    "full-disk": lambda r: ({}, _seconds(r, 0.3, 3)),
    "clock-jump": lambda r: ({"seconds": r.choice((-86400, -600, -15, 15, 600, 86400))}, _seconds(r, 1, 5)),
    "cloud-clock": lambda r: ({"seconds": r.choice((5, 60, 3600))}, 0.0),
    "cancel": lambda _: ({}, 0.0),
}
"""Deeds that are no faults of the cloud: to processes, the disk and the clocks of this machine, by users.

`usurper`: the controller stands still, the clock jumps until its lease is over, another one takes the job,
and the first one goes on.
"""

DRAW = FAULTS | OURS

OF_A_RUNNING_JOB = frozenset({"second-controller", "usurper", "clock-jump"})
"""What comes when the work has begun: preparing workers refuses a clock that is far off."""

SPARES_THE_SLICE = frozenset(
    {"kill-controller", "freeze-controller", "second-controller", "usurper", "full-disk", "clock-jump",
     "cloud-clock", "drop-connections", "api-slow", "api-down", "api-reset"}
)  # fmt: skip
"""If a plan has nothing else, its job succeeds in its first attempt, on one slice."""
