"""The members that a word means."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.store.records import JobRecord


def members_meant(records: Sequence[JobRecord], word: str) -> list[JobRecord]:
    """The members of the fleet that a word means: its id, or the name of the newest one; none if it is a job.

    Args:
        records: all jobs, oldest first.
        word: what a user wrote.
    """
    found = _members(records, word) or newest_members(records, word)
    single = [one for one in records if one.fleet is None and word in (one.id, one.name)]
    newer = found and single and single[-1].created_at > found[0].created_at
    return [] if newer else found


def newest_members(records: Sequence[JobRecord], name: str, owner: str | None = None) -> list[JobRecord]:
    """The members of the newest fleet of a name, by their numbers.

    Args:
        records: all jobs, oldest first.
        name: of the fleet.
        owner: only this user's; `None`: anybody's.
    """
    fleets = [one.fleet for one in records if one.fleet and owner in (None, one.owner)]
    named = [fleet for fleet in fleets if fleet.rpartition("-")[0] == name]
    return _members(records, named[-1]) if named else []


def _members(records: Sequence[JobRecord], fleet: str) -> list[JobRecord]:
    return sorted((one for one in records if one.fleet == fleet), key=lambda one: one.id)
