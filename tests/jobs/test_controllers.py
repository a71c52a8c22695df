"""At most one controller drives a job."""

from __future__ import annotations

import signal
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from herd import output

if TYPE_CHECKING:
    from herd import Herd

pytestmark = pytest.mark.slow


def test_others_are_refused(herd: Herd) -> None:
    job = herd.job(herd.counting(1200))
    controller = herd.start("run", job)
    herd.until_says(controller, "line 3")
    for words in (("run", job), ("resume", "job"), ("release", "--job", "job")):
        assert f"process {controller.pid}" in herd.ends_with(10, *words).stderr
    assert "is live" in herd.ends_with(10, "delete", "job").stderr
    changed = herd.ends_with(10, "run", herd.job("true"))
    assert "another version" in changed.stderr
    assert herd.status()["state"] == "live"
    herd.ok("cancel", "job")
    assert controller.wait(90) == 130
    assert herd.starts(0) == 1


def test_one_that_stood_still_until_another_had_the_job_leaves_it_alone(cloud: Herd) -> None:
    controller = cloud.start("run", cloud.job(cloud.counting(200)))
    cloud.until_says(controller, "line 3")
    controller.send_signal(signal.SIGSTOP)
    with closing(sqlite3.connect(cloud.home / "tpuherd.sqlite")) as store, store:
        store.execute("UPDATE leases SET expires_at = 0")
    other = cloud.start("resume", "job")
    cloud.until_says(other, "line 30")
    controller.send_signal(signal.SIGCONT)

    assert controller.wait(60) == 10
    assert "has taken job" in output(controller)
    assert other.wait(90) == 0, output(other)
    assert cloud.status()["state"] == "succeeded"
    assert cloud.starts(0) == 1
    assert len(cloud.operations("create")) == len(cloud.operations("delete")) == 1
    assert cloud.log(0) == [f"line {number}" for number in range(1, 201)]
