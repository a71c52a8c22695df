"""From the words of `run` and `create` to a job in the store."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd.tasks import opening
from tpuherd.tasks.restart_options import RestartOptions, restart_test

if TYPE_CHECKING:
    from tpuherd.config.load import LoadedJob
    from tpuherd.store.records import JobRecord


def read(job_file: str, overrides: list[str], ttl: str) -> tuple[LoadedJob, float | None]:
    """The checked job file, and the limit of `--ttl` in seconds."""
    from tpuherd.durations import parse_duration
    from tpuherd.engine.opening import check_plan
    from tpuherd.tasks.loaded import manager

    ttl_s = parse_duration(ttl, "--ttl") if ttl else None
    loaded = opening.read(Path(job_file), overrides)
    check_plan(manager(), loaded)
    for note in loaded.notes:
        sys.stderr.write(f"{note}\n")
    return loaded, ttl_s


def create(
    loaded: LoadedJob,
    overrides: list[str],
    ttl_s: float | None,
    *,
    keep: bool,
    restart: RestartOptions | None = None,
) -> JobRecord:
    """The live job of a file, else a new one, with the restart test that is asked for."""
    from tpuherd.engine.creating import find_or_create
    from tpuherd.restart_test.plan import make_test

    test = restart and restart_test(loaded, restart)
    record = find_or_create(opening.store(), loaded, overrides, keep=keep, ttl_s=ttl_s)
    if test:
        make_test(opening.store(), record, test)
    return record
