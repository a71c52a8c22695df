"""From the job file of a fleet to its members in the store."""

from __future__ import annotations

import getpass
from typing import TYPE_CHECKING

from sqlalchemy.exc import IntegrityError

from tpuherd.engine.creating import create, require_same, with_suffix
from tpuherd.errors import StateError
from tpuherd.members.finding import newest_members
from tpuherd.members.planning import members_of, suffix

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tpuherd.config.load import LoadedJob
    from tpuherd.store.records import JobRecord
    from tpuherd.store.store import Store


def find_or_create_members(
    store: Store,
    whole: LoadedJob,
    read: Callable[[Sequence[str]], LoadedJob],
    overrides: Sequence[str],
    *,
    keep: bool,
    ttl_s: float | None = None,
) -> list[JobRecord]:
    """The members of the live fleet of this file, with what is missing of them; else those of a new one.

    Whoever was interrupted in the middle of it goes on: a member's id follows from that of its fleet.

    Args:
        store: the store.
        whole: the job file.
        read: reads it with more overrides.
        overrides: what was changed in it.
        keep: for new members: keep the slices when they end.
        ttl_s: for new members: how long each may hold slices.

    Raises:
        StateError: a fleet of that name is live, but its file or its ttl was different.
    """
    known = {record.id: record for record in live_members(store, whole.spec.job.name)}
    fleet = next(
        (record.fleet for record in known.values() if record.fleet), with_suffix(whole.spec.job.name)
    )
    wanted = {}
    for member in members_of(whole.spec):
        mine = [*overrides, *member.overrides]
        wanted[f"{fleet}-{suffix(member.index)}"] = (read(mine), mine)
    _require_same(fleet, known, {job_id: loaded for job_id, (loaded, _) in wanted.items()}, ttl_s)
    for job_id, (loaded, mine) in wanted.items():
        if job_id not in known:
            _create(store, loaded, mine, job_id, fleet, keep=keep, ttl_s=ttl_s)
    return store.jobs.members(fleet)


def live_members(store: Store, name: str) -> list[JobRecord]:
    """The members of this user's newest fleet of a name, unless all have ended."""
    found = newest_members(store.jobs.all(), name, getpass.getuser())
    return found if any(not record.state.ended for record in found) else []


def _require_same(
    fleet: str, known: dict[str, JobRecord], wanted: dict[str, LoadedJob], ttl_s: float | None
) -> None:
    """Before any member is made; those that have ended may have had any ttl."""
    if known and known.keys() - wanted.keys():
        raise StateError(
            f"fleet {fleet} is live and has {len(known)} members, the file says {len(wanted)}: "
            f"`tpuherd cancel {fleet}` ends it"
        )
    for job_id, record in known.items():
        require_same(record, wanted[job_id], None if record.state.ended else ttl_s)


def _create(
    store: Store,
    loaded: LoadedJob,
    overrides: Sequence[str],
    job_id: str,
    fleet: str,
    *,
    keep: bool,
    ttl_s: float | None,
) -> None:
    try:
        create(store, loaded, overrides, job_id, keep=keep, ttl_s=ttl_s, fleet=fleet)
    except IntegrityError:  # another `run` of this fleet was quicker
        store.jobs.get(job_id)
