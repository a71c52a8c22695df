"""Whole jobs with a home of their own, and jobs that are only rows of a store."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "jobs"))  # `herd` lives there
sys.path.append(str(Path(__file__).parents[1] / "store"))  # `store_records` lives there

import pytest
from herd_fixture import herd
from store_fixture import store
from store_records import job_record

__all__ = ["herd", "store"]

JOB_FILE = """
cloud: google
tpu: {accelerator: v5litepod-16, zone: us-west4-a, project: p}
command: {cmd: 'true'}
"""


@pytest.fixture
def add_job(store, tmp_path):
    """Add a job with a folder of its own to the store, and return its row."""

    def add(job_id="job-0001", **values):
        directory = tmp_path / "home" / "jobs" / job_id
        (directory / "attempt-1").mkdir(parents=True)
        usual = {"text": JOB_FILE, "overrides": [], "directory": str(directory)}
        record = replace(job_record(job_id, "job"), **(usual | values))
        store.jobs.add(record)
        return record

    return add
