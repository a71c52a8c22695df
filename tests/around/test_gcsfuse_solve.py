"""`tpuherd solve` on workers whose bucket has gone."""

from __future__ import annotations

import pytest
from buckets import LISTED, PATH, bucket, kill_server, program, with_bucket
from mounts import mountable, on

import tpuherd_gcsfuse
from tpuherd.solving.finding import Verdict
from tpuherd.solving.visit import Subject, solve

pytestmark = pytest.mark.slow
__all__ = ["bucket", "mountable", "program", "with_bucket"]


def test_solve_finds_a_dead_mount_and_mounts_it_again(with_bucket, held, cloud):
    job = with_bucket()
    tpuherd_gcsfuse.equip_workers(job, held)
    kill_server(cloud, held, 1)
    on(job, held, f"umount {PATH}", workers=[3])
    assert solved(job, held, repair=False) == {1: Verdict.REPAIRABLE, 3: Verdict.REPAIRABLE}
    assert solved(job, held, repair=True) == {1: Verdict.REPAIRED, 3: Verdict.REPAIRED}
    assert on(job, held, f"cat {PATH}/data/train.txt; {LISTED} | wc -l") == ["hello\n1"] * 4
    assert solved(job, held, repair=True) == {}


def test_solve_says_why_a_bucket_cannot_be_mounted_again(with_bucket, held, cloud):
    job = with_bucket()
    tpuherd_gcsfuse.equip_workers(job, held)
    (own,) = (cloud.home(held.workers[2]) / ".tpuherd" / "mounts").glob("*/mount")
    own.write_text("#!/bin/sh\necho the bucket is gone; exit 1\n")
    kill_server(cloud, held, 2)
    assert solved(job, held, repair=True) == {2: Verdict.PROBLEM}


def solved(job, held, *, repair):
    """The verdicts about mounts that are not well, by worker."""
    subject = Subject(packages_command="true", code_directory="")
    found = solve(job.session.workers(held, job.cloud.ssh), range(4), subject, repair=repair)
    ailing = [one for one in found if one.check == "mounts" and one.verdict is not Verdict.OK]
    assert all("/bucket " in one.text for one in ailing)
    return {one.worker: one.verdict for one in ailing}
