"""Work that was done before a job was made for it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedWork:
    """What a job would make, and that is there already."""

    address: str
    """Where it is."""
    summary: str
    """What it is, for people; it says where, too."""
