"""Where and when an attempt failed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Where and when an attempt failed: what policies reckon with besides the class.

    Core fills it in; what is not known has its default.
    """

    at: float = 0.0
    """Seconds since the epoch."""
    stage: str = ""
    """The stage that failed."""
    zone: str = ""
    host: str = ""
    """The blamed worker by a name that is new for each VM; see `Worker.host_key_name`."""
    held_s: float | None = None
    """How long the attempt's slices have been held; `None`: it got none."""
    ran_s: float | None = None
    """How long the workload of this attempt ran; `None`: it was not started."""
    usable: bool | None = None
    """False if a slice is gone or will not come back by itself; `None`: nobody knows."""
