"""From a job file to a row in the store."""

from __future__ import annotations

import getpass
import secrets
import time
from typing import TYPE_CHECKING

from tpuherd import paths
from tpuherd.durations import span
from tpuherd.errors import ConfigError, StateError
from tpuherd.store.leases import this_process
from tpuherd.store.records import JobRecord, JobState
from tpuherd.store.wishes import RUN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.config.load import LoadedJob
    from tpuherd.store.store import Store


def find_or_create(
    store: Store,
    loaded: LoadedJob,
    overrides: Sequence[str],
    *,
    keep: bool,
    ttl_s: float | None = None,
    wanted: str = RUN,
) -> JobRecord:
    """The live job of this file, else a new one, which this process drives until it gives its lease back.

    Args:
        store: the store.
        loaded: the job file.
        overrides: what was changed in it.
        keep: for a new job: keep the slices when it ends.
        ttl_s: for a new job: how long it may hold slices; default: as the job file says.
        wanted: for a new job: what is to happen with it, see `store.wishes`.

    Raises:
        StateError: a job of that name is live, but its file or its ttl was different.
    """
    if loaded.spec.whole_fleet is not None:
        raise ConfigError(
            f"{loaded.path}: fleet: this command is for single jobs; `tpuherd run` and `create` take fleets"
        )
    newest = store.jobs.newest(loaded.spec.job.name, getpass.getuser())
    if newest is None or newest.state.ended:
        job_id = with_suffix(loaded.spec.job.name)
        return create(store, loaded, overrides, job_id, keep=keep, ttl_s=ttl_s, wanted=wanted)
    require_same(newest, loaded, ttl_s)
    return newest


def with_suffix(name: str) -> str:
    """A new id."""
    return f"{name}-{secrets.token_hex(2)}"


def require_same(live: JobRecord, loaded: LoadedJob, ttl_s: float | None) -> None:
    """Refuse to go on with a live job whose file or ttl was different; raises `StateError`."""
    if live.digest != loaded.digest:
        raise StateError(
            f"job {live.id} of the same name is live, but was made from another version of {loaded.path}.\n"
            f"Go on with it: `tpuherd resume {live.id}`. End it: `tpuherd cancel {live.id}`. "
            "Or give this one another name: `--override job.name=NAME`."
        )
    if ttl_s not in (None, live.ttl_s):
        has = f"a ttl of {span(live.ttl_s)}" if live.ttl_s else "no ttl"
        raise StateError(f"job {live.id} is live and has {has}, which stays: leave --ttl out")


def create(
    store: Store,
    loaded: LoadedJob,
    overrides: Sequence[str],
    job_id: str,
    *,
    keep: bool,
    ttl_s: float | None = None,
    wanted: str = RUN,
    fleet: str | None = None,
) -> JobRecord:
    """Add a new job to the store, with a lease of this process.

    Args:
        store: the store.
        loaded: the job file.
        overrides: what was changed in it.
        job_id: its id.
        keep: keep the slices when it ends.
        ttl_s: how long it may hold slices; default: as the job file says.
        wanted: what is to happen with it, see `store.wishes`.
        fleet: the fleet that it is a member of.
    """
    directory = paths.jobs_directory() / job_id
    directory.mkdir(parents=True, mode=0o700, exist_ok=fleet is not None)
    record = JobRecord(
        id=job_id,
        name=loaded.spec.job.name,
        owner=getpass.getuser(),
        file=str(loaded.path),
        base_directory=str(loaded.base_directory),
        text=loaded.text,
        overrides=list(overrides),
        digest=loaded.digest,
        directory=str(directory),
        keep=keep,
        state=JobState.LIVE,
        wanted=wanted,
        attempt=1,
        created_at=time.time(),
        ended_at=None,
        exit_code=None,
        message="",
        ttl_s=loaded.spec.tpu.ttl_s if ttl_s is None else ttl_s,
        idle_timeout_s=loaded.spec.tpu.idle_timeout_s,
        fleet=fleet,
    )
    store.jobs.add(record, driver=this_process())
    return record
