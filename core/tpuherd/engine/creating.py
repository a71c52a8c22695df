"""From a job file to a row in the store."""

from __future__ import annotations

import getpass
import secrets
import time
from typing import TYPE_CHECKING

from tpuherd import paths
from tpuherd.durations import span
from tpuherd.errors import StateError
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
    newest = store.jobs.newest(loaded.spec.job.name, getpass.getuser())
    if newest is None or newest.state.ended:
        return _create(store, loaded, overrides, keep=keep, ttl_s=ttl_s, wanted=wanted)
    if newest.digest != loaded.digest:
        raise StateError(
            f"job {newest.id} of the same name is live, but was made from another version of {loaded.path}.\n"
            f"Go on with it: `tpuherd resume {newest.id}`. End it: `tpuherd cancel {newest.id}`. "
            "Or give this one another name: `--override job.name=NAME`."
        )
    if ttl_s not in (None, newest.ttl_s):
        has = f"a ttl of {span(newest.ttl_s)}" if newest.ttl_s else "no ttl"
        raise StateError(f"job {newest.id} is live and has {has}, which stays: leave --ttl out")
    return newest


def _create(
    store: Store,
    loaded: LoadedJob,
    overrides: Sequence[str],
    *,
    keep: bool,
    ttl_s: float | None,
    wanted: str,
) -> JobRecord:
    job_id = f"{loaded.spec.job.name}-{secrets.token_hex(2)}"
    directory = paths.jobs_directory() / job_id
    directory.mkdir(parents=True, mode=0o700)
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
    )
    store.jobs.add(record, driver=this_process())
    return record
