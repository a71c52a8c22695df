"""Rows for the tests of the store."""

from __future__ import annotations

from tpuherd.store.records import JobRecord, JobState


def job_record(job_id: str = "bench-1a2b", name: str = "bench") -> JobRecord:
    return JobRecord(
        id=job_id,
        name=name,
        owner="ada",
        file="/jobs/bench.yaml",
        base_directory="/jobs",
        text="tpu: {}",
        overrides=["tpu.zone=a"],
        digest="0" * 64,
        directory="/state/bench",
        keep=False,
        state=JobState.LIVE,
        wanted="run",
        attempt=1,
        created_at=1.0,
        ended_at=None,
        exit_code=None,
        message="",
    )
