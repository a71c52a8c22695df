"""`tpuherd pause`, `resume` after it, and `ack`."""

from __future__ import annotations

import json

import pytest
from herd import Herd, wait_for

pytestmark = pytest.mark.slow


def work(herd: Herd) -> str:
    """A workload that only ends when it is resumed, and saves something when it is told to stop."""
    return (
        "echo attempt $TPUHERD_ATTEMPT resume $TPUHERD_RESUME\n"
        f"trap 'echo saved > {herd.shared}/saved; exit 3' TERM\n"
        "test $TPUHERD_RESUME = 1 && exit 0\n"
        "for i in $(seq 6000); do sleep 0.1; done"
    )


def test_a_paused_job_keeps_its_slices_and_goes_on_with_another_attempt(cloud: Herd) -> None:
    controller = cloud.start("run", cloud.job(work(cloud)))
    cloud.until_says(controller, "attempt 1 resume 0")
    cloud.ok("pause", "job")
    assert controller.wait(90) == 16
    assert (cloud.shared / "saved").exists()
    paused = cloud.status()
    assert (paused["state"], paused["holds"], paused["driven_by"]) == ("paused", "slices", "")
    assert len(cloud.cloud()["nodes"]) == 1
    cloud.ok("pause", "job")
    cloud.ok("resume", "job")
    assert cloud.log(0, attempt=2) == ["attempt 2 resume 1"]
    assert cloud.status()["state"] == "succeeded"
    assert len(cloud.operations("create")) == 1
    history = json.loads(cloud.ok("history", "job", "--json"))
    assert [one["state"] for one in history] == ["paused", "succeeded"]


def test_a_pause_without_a_controller_and_with_release(cloud: Herd) -> None:
    controller = cloud.start("run", cloud.job(work(cloud)))
    cloud.until_says(controller, "attempt 1 resume 0")
    controller.kill()
    controller.wait()
    cloud.ok("pause", "job", "--release")
    assert (cloud.shared / "saved").exists()
    assert cloud.cloud()["nodes"] == []
    assert (cloud.status()["state"], cloud.status()["holds"]) == ("paused", "")
    cloud.ok("run", cloud.job(work(cloud)))
    assert cloud.log(0, attempt=2) == ["attempt 2 resume 1"]
    assert "nothing to pause" in cloud.ends_with(10, "pause", "job").stderr


def test_a_pause_while_the_slice_is_awaited_withdraws_the_request(herd: Herd) -> None:
    herd.ok("cloud.up", "--create-s", 3600)
    controller = herd.start("run", herd.job())
    assert wait_for(lambda: herd.cloud()["nodes"])
    herd.ok("pause", "job")
    assert controller.wait(90) == 16
    assert herd.cloud()["nodes"] == []
    assert (herd.status()["state"], herd.status()["attempt"]) == ("paused", 1)
    herd.ok("cancel", "job")
    assert herd.status()["state"] == "cancelled"


def test_a_failed_job_needs_attention_until_it_is_acknowledged(herd: Herd) -> None:
    herd.ends_with(8, "run", herd.job("exit 7"))
    assert [job["attention"] for job in json.loads(herd.ok("list", "--attention", "--json"))] == ["failed"]
    herd.ok("ack", "job", "-m", "seven is known")
    assert json.loads(herd.ok("list", "--attention", "--json")) == []
    assert herd.status()["acknowledgement"] == "seven is known"
    assert "acknowledged already" in herd.ends_with(10, "ack", "job").stderr
