"""Jobs of a store."""

from __future__ import annotations

import time

from tpuherd.store.records import JobRecord, JobState


def record_of(job_id):
    """A live job."""
    return JobRecord(
        id=job_id,
        name="job",
        owner="tester",
        file="job.yaml",
        base_directory=".",
        text="",
        overrides=[],
        digest="",
        directory=".",
        keep=False,
        state=JobState.LIVE,
        wanted="run",
        attempt=1,
        created_at=time.time(),
        ended_at=None,
        exit_code=None,
        message="",
    )
