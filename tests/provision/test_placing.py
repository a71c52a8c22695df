"""Several placements: failover, races, back-off, and exactly one TPU whatever happens in between."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from clouded import clouded, eventually

import tpuherd_queued_resources
import tpuherd_tpu_vm
from tpuherd import ProvisionError
from tpuherd.cloud import backoff, client
from tpuherd.cloud.client import TpuApi
from tpuherd.cloud.naming import target_of
from tpuherd.cloud.placement import Placement
from tpuherd.cloud.refusals import CloudRefused, Refusal
from tpuherd.cloud.trial import Trial
from tpuherd.errors import Cancelled
from tpuherd.model.job import Attempt
from tpuherd_emulator.control.client import Control
from tpuherd_queued_resources.resource import QueuedResources
from tpuherd_tpu_vm.node import Nodes

WEST, EAST, CENTRAL = "us-west4-a", "us-east1-c", "us-central1-a"
MODES = {"tpu-vm": (tpuherd_tpu_vm, Nodes), "queued-resources": (tpuherd_queued_resources, QueuedResources)}


@pytest.fixture
def control(cloud):
    with Control(cloud.info) as made:
        yield made
        made.clear()


@pytest.fixture(autouse=True)
def tidy(request):
    """A test that fails leaves nothing to the next."""
    cloud = request.getfixturevalue("cloud") if "cloud" in request.fixturenames else None
    before = len(cloud.jobs) if cloud else 0
    yield
    for job in cloud.jobs[before:] if cloud else ():
        job.session.allow_cleanup()
        release(job)


@pytest.fixture(params=sorted(MODES))
def mode(request):
    return request.param


def job_for(cloud, job_id, mode="tpu-vm", **tpu):
    job = cloud.job(tpu={"zone": None, "zones": [WEST, EAST], "allocation_mode": mode, **tpu}, job_id=job_id)
    job.session.said = said = []
    job.session.reporter.note = said.append
    return job


def provision(job):
    plugin, _ = MODES[job.spec.tpu.allocation_mode]
    return plugin.provision(job, job.attempt)


def release(job, held=None):
    plugin, _ = MODES[job.spec.tpu.allocation_mode]
    return plugin.release(job, held)


def ask(job, zone, accelerator="v5litepod-8"):
    """Only ask, as a controller does that is killed right after it."""
    _, supply = MODES[job.spec.tpu.allocation_mode]
    supply(job).ask(target_of(job, Placement(zone=zone, accelerator=accelerator)))


def leftovers(cloud):
    api = TpuApi(cloud.jobs[-1].cloud, "-")
    return [
        item.name for method in ("list_nodes", "list_queued_resources") for item in api.listed(method).items
    ]


def nodes_left(cloud):
    """Full names: those of one job are alike in all zones."""
    return [name for name in leftovers(cloud) if "/nodes/" in name]


def test_the_next_zone_is_tried_after_a_stockout(cloud, control):
    control.fault("stockout", zone=WEST)
    job = job_for(cloud, "next-0001")
    held = provision(job)
    assert held.zone == EAST
    assert any(
        f"not v5litepod-8 in {WEST}" in text and "no more capacity" in text for text in job.session.said
    )
    assert provision(job) == held
    release(job, held)
    assert leftovers(cloud) == []


def test_without_waiting_one_error_says_what_was_said_everywhere(cloud, control):
    control.fault("stockout", zone=WEST)
    control.fault("quota", zone=EAST)
    job = job_for(cloud, "nowhere-0001", zones=[WEST, EAST])
    with pytest.raises(
        CloudRefused, match=r"(?s)none of 2 placements.*no more capacity.*Quota.*tpu\.zones"
    ) as caught:
        provision(job)
    assert caught.value.refusal is Refusal.UNKNOWN  # of two kinds
    assert leftovers(cloud) == []


def test_a_quota_of_the_region_rules_out_its_other_zones(cloud, control):
    control.fault("quota", zone="us-west4-*", value="region")
    job = job_for(cloud, "region-0001", zones=["us-west4-a", "us-west4-b", EAST])
    held = provision(job)
    assert held.zone == EAST
    assert not any("trying v5litepod-8 in us-west4-b" in text for text in job.session.said)
    release(job, held)


def test_what_holds_everywhere_stops_at_once(cloud, control):
    text = "Permission 'tpu.nodes.create' denied on 'projects/p'"
    control.fault("api-error", method="CreateNode", code="PERMISSION_DENIED", text=text)
    job = job_for(cloud, "denied-0001")
    with pytest.raises(CloudRefused) as caught:
        provision(job)
    assert caught.value.refusal is Refusal.PERMISSION
    assert not any(f"in {EAST}" in text for text in job.session.said)


def test_a_zone_that_is_not_there_is_only_passed_over(cloud):
    job = job_for(cloud, "nozone-0001", zones=["us-west4-zz9", EAST])
    held = provision(job)
    assert held.zone == EAST
    release(job, held)
    assert leftovers(cloud) == []


@pytest.mark.slow
def test_another_type_is_tried_and_the_allocation_says_which(cloud, control, mode):
    control.fault("stockout", accelerator="v5litepod-16")
    job = job_for(
        cloud,
        f"types-{mode[:3]}",
        mode,
        accelerator=None,
        accelerators=["v5litepod-16", "v5litepod-8"],
        zones=[WEST],
        queue_timeout_s=3,
    )
    held = provision(job)
    assert held.slices[0].accelerator == "v5litepod-8"
    assert held.slices[0].node_id.endswith("-v5litepod-8")
    release(job, held)
    assert leftovers(cloud) == []


@pytest.mark.slow
def test_waiting_for_capacity_goes_on_until_there_is_some(cloud, control, monkeypatch):
    monkeypatch.setattr(backoff, "FIRST_PAUSE_S", 0.2)
    control.fault("stockout", zone=WEST, count=3)
    control.fault("stockout", zone=EAST, count=3)
    job = job_for(cloud, "patient-0001", wait_for_capacity=True)
    held = provision(job)
    refusals = [text for text in job.session.said if text.startswith("not ")]
    assert len(refusals) >= 3
    release(job, held)


def test_waiting_ends_with_the_deadline_of_the_whole(cloud, control, monkeypatch):
    monkeypatch.setattr(backoff, "FIRST_PAUSE_S", 0.1)
    control.fault("stockout")
    job = job_for(cloud, "impatient-0001", wait_for_capacity=True, provision_timeout_s=0.8)
    with pytest.raises(ProvisionError, match=r"longer than 0\.8 s \(`tpu\.provision_timeout_s`\)"):
        provision(job)
    assert leftovers(cloud) == []


def test_waiting_can_be_cancelled(cloud, control):
    control.fault("stockout")
    job = job_for(cloud, "cancelled-0001", wait_for_capacity=True)
    raised = []

    def wait():
        try:
            provision(job)
        except Cancelled as error:
            raised.append(error)

    waiting = threading.Thread(target=wait)
    waiting.start()
    eventually(lambda: sum(text.startswith("not ") for text in job.session.said) == 2)
    job.session.cancel()
    waiting.join(10)
    assert len(raised) == 1


@pytest.mark.slow
def test_the_queue_of_one_zone_is_left_for_the_next(cloud, control):
    control.fault("stockout", zone=WEST)
    job = job_for(cloud, "queue-0001", "queued-resources", queue_timeout_s=3)
    held = provision(job)
    assert held.zone == EAST
    assert any("no capacity for it within 3 s (`tpu.queue_timeout_s`)" in text for text in job.session.said)
    release(job, held)
    assert leftovers(cloud) == []


@pytest.mark.slow
def test_in_parallel_the_first_wins_and_the_others_are_withdrawn(cloud, mode):
    job = job_for(cloud, f"race-{mode[:3]}", mode, zones=[WEST, CENTRAL, EAST], zone_order="parallel")
    held = provision(job)
    eventually(lambda: len(nodes_left(cloud)) == 1)
    assert nodes_left(cloud)[0].endswith(f"{held.zone}/nodes/{held.slices[0].node_id}")
    release(job, held)
    assert leftovers(cloud) == []


@pytest.mark.slow
def test_of_two_that_arrive_in_the_same_moment_one_is_withdrawn(cloud, mode, monkeypatch):
    together, run = threading.Barrier(2, timeout=60), Trial.run

    def arrive_together(trial, found):
        allocation = run(trial, found)
        together.wait()
        return allocation

    monkeypatch.setattr(Trial, "run", arrive_together)
    job = job_for(cloud, f"tie-{mode[:3]}", mode, zones=[WEST, EAST], zone_order="parallel")
    held = provision(job)
    eventually(lambda: len(nodes_left(cloud)) == 1)
    assert nodes_left(cloud)[0].endswith(f"{held.zone}/nodes/{held.slices[0].node_id}")
    release(job, held)
    assert leftovers(cloud) == []


@pytest.mark.slow
def test_in_parallel_requests_that_still_wait_in_line_are_withdrawn(cloud, control):
    control.fault("stockout", zone=WEST)
    control.fault("stockout", zone=CENTRAL)
    job = job_for(cloud, "line-0001", "queued-resources", zones=[WEST, CENTRAL, EAST], zone_order="parallel")
    held = provision(job)
    assert held.zone == EAST
    eventually(lambda: len([name for name in leftovers(cloud) if "queuedResources" in name]) == 1)
    release(job, held)
    assert leftovers(cloud) == []


def test_an_interrupted_call_in_any_zone_is_gone_on_with(cloud, mode):
    job = job_for(cloud, f"crash-{mode[:3]}", mode)
    ask(job, EAST)
    held = provision(job)
    assert held.zone == EAST
    assert any(text.startswith("going on with") for text in job.session.said)
    assert len(cloud.nodes()) == 1
    release(job, held)


def test_what_an_interrupted_race_has_left_over_is_withdrawn(cloud, mode):
    job = job_for(cloud, f"surplus-{mode[:3]}", mode)
    for zone in (WEST, EAST):
        ask(job, zone)
    held = provision(job)
    assert any("is not needed" in text for text in job.session.said)
    eventually(lambda: len(cloud.nodes()) == 1)
    release(job, held)
    assert leftovers(cloud) == []


def test_release_finds_what_was_asked_for_in_every_zone(cloud, mode):
    job = job_for(cloud, f"spread-{mode[:3]}", mode)
    for zone in (WEST, EAST):
        ask(job, zone)
    other = job_for(cloud, f"foreign-{mode[:3]}", mode)
    ask(other, WEST)
    release(replace(job, attempt=Attempt(number=2, zone=CENTRAL)))
    left = leftovers(cloud)
    assert left
    assert all(f"foreign-{mode[:3]}" in name for name in left)
    release(other)
    assert leftovers(cloud) == []


def test_a_recovery_that_moves_the_job_has_its_zone_only(cloud):
    job = replace(job_for(cloud, "moved-0001"), attempt=Attempt(number=2, zone=CENTRAL))
    held = provision(job)
    assert held.zone == CENTRAL
    assert held.slices[0].node_id.endswith("-2")
    release(job, held)
    assert leftovers(cloud) == []


def test_a_node_preempted_on_its_way_counts_as_no_capacity(cloud, control):
    control.fault("preempted-in-creation", zone=WEST)
    job = job_for(cloud, "early-0001")
    held = provision(job)
    control.clear()
    assert held.zone in (WEST, EAST)  # its workers may have answered before it was preempted
    release(job, held)
    assert leftovers(cloud) == []


@pytest.mark.parametrize("method", ["CreateNode", "CreateQueuedResource"])
def test_an_api_that_is_down_for_a_moment_is_asked_again_once(cloud, control, method):
    mode = "tpu-vm" if method == "CreateNode" else "queued-resources"
    control.fault("api-down", method=method, count=2)
    job = job_for(cloud, f"moment-{mode[:3]}", mode)
    held = provision(job)
    assert held.zone == WEST
    assert len(leftovers(cloud)) == (1 if mode == "tpu-vm" else 2)
    release(job, held)


@pytest.mark.slow
def test_a_lost_answer_leads_to_no_second_tpu(cloud, control, monkeypatch, mode):
    """The API has heard the request, and the answer got lost on its way back."""
    monkeypatch.setattr(client, "CALL_TIMEOUT_S", 3.0)
    job = job_for(cloud, f"lost-{mode[:3]}", mode)
    control.fault("api-slow", method="Create*", delay_s=4.0, count=1)
    held = provision(job)
    assert held.zone == WEST
    assert len(cloud.nodes()) == 1
    release(job, held)
    assert leftovers(cloud) == []


def test_an_api_that_stays_down_deletes_nothing(cloud, control, monkeypatch):
    monkeypatch.setattr(client, "LOCAL_RETRY_S", 0.3)
    job = job_for(cloud, "down-0001")
    ask(job, WEST)
    control.fault("api-down", method="Get*")
    with pytest.raises(CloudRefused) as caught:
        provision(job)
    assert caught.value.unanswered
    control.clear()
    assert len(cloud.nodes()) == 1
    control.fault("api-down", method="List*")
    with pytest.raises(CloudRefused, match="UNAVAILABLE"):
        release(job)
    control.clear()
    assert len(cloud.nodes()) == 1
    release(job)
    assert leftovers(cloud) == []


@pytest.mark.slow
def test_a_withdrawal_that_fails_is_said_and_the_release_tries_again(cloud, control, monkeypatch):
    monkeypatch.setattr(client, "LOCAL_RETRY_S", 0.3)
    control.fault("stockout", zone=WEST)
    control.fault("api-error", method="DeleteQueuedResource", code="INTERNAL", text="no", count=1)
    job = job_for(cloud, "tough-0001", "queued-resources", queue_timeout_s=3)
    held = provision(job)
    assert any("is not withdrawn yet, the release tries again" in text for text in job.session.said)
    assert len([name for name in leftovers(cloud) if "queuedResources" in name]) == 2
    release(job, held)
    assert leftovers(cloud) == []


@pytest.mark.slow
def test_names_with_a_number_take_the_smallest_that_is_free(cloud, mode):
    jobs = [
        job_for(cloud, f"fleet-{mode[:3]}-{number}", mode, name="tpu-{region}-{zone_letter}-{index}")
        for number in range(3)
    ]
    held = [provision(job) for job in jobs]
    assert [one.slices[0].node_id for one in held] == [f"tpu-us-west4-a-{number}" for number in range(3)]
    assert provision(jobs[1]) == held[1]
    release(jobs[1], held[1])
    again = job_for(cloud, f"fleet-{mode[:3]}-9", mode, name="tpu-{region}-{zone_letter}-{index}")
    held[1] = provision(again)
    assert held[1].slices[0].node_id == "tpu-us-west4-a-1"
    for job, one in zip((jobs[0], again, jobs[2]), held, strict=True):
        release(job, one)
    assert leftovers(cloud) == []


@pytest.mark.slow
def test_jobs_that_want_the_same_number_at_once_get_different_ones(cloud, mode):
    jobs = [job_for(cloud, f"same-{mode[:3]}-{number}", mode, name="fleet-{index}") for number in range(4)]
    held = {}
    threads = [threading.Thread(target=lambda job=job: held.update({job.id: provision(job)})) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(one.slices[0].node_id for one in held.values()) == [
        f"fleet-{number}" for number in range(4)
    ]
    for job in jobs:
        release(job, held[job.id])
    assert leftovers(cloud) == []


@pytest.mark.slow
def test_a_slow_clouds_deletion_is_waited_for_before_it_is_asked_again(tmp_path, mode):
    with clouded(tmp_path, delete_s=1.0) as slow:
        job = job_for(slow, f"again-{mode[:3]}", mode, zones=[WEST])
        ask(job, WEST)
        _, supply = MODES[mode]
        supply(job).withdraw(target_of(job, job.spec.tpu.first_placement))
        held = provision(job)
        assert held.zone == WEST
        release(job, held)
        assert leftovers(slow) == []
