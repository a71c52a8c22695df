"""Jobs that are rows of a store."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "store"))  # `store_records` lives there

import pytest
from store_fixture import store
from store_records import job_record

__all__ = ["store"]

JOB_FILE = """
cloud: google
tpu: {accelerator: v5litepod-16, zone: us-west4-a, project: p}
command: {cmd: 'true'}
"""


@pytest.fixture
def add_job(store, tmp_path):
    """Add a job to the store, and return its row."""

    def add(job_id="job-0001", **values):
        directory = tmp_path / "home" / "jobs" / job_id
        usual = {"text": JOB_FILE, "overrides": [], "directory": str(directory), "created_at": 0.0}
        record = replace(job_record(job_id, "job"), **(usual | values))
        store.jobs.add(record)
        return record

    return add
