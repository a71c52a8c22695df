"""When slices are usable, how long each phase may take, and whose host keys are trusted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from clouded import ZONE, clouded, eventually

import tpuherd_queued_resources
import tpuherd_tpu_vm
from tpuherd import ProvisionError
from tpuherd.cloud import host_keys
from tpuherd.cloud.client import TpuApi
from tpuherd.cloud.naming import target_of
from tpuherd.cloud.refusals import CloudRefused, Refusal
from tpuherd.model.failure import Presence
from tpuherd_emulator.control.client import Control

MODES = {"tpu-vm": tpuherd_tpu_vm, "queued-resources": tpuherd_queued_resources}


@pytest.fixture
def control(cloud):
    with Control(cloud.info) as made:
        yield made
        made.clear()


def job_for(cloud, job_id, mode="tpu-vm", **tpu):
    return cloud.job(tpu={"allocation_mode": mode, **tpu}, job_id=job_id)


def provision(job):
    return MODES[job.spec.tpu.allocation_mode].provision(job, job.attempt)


def release(job, held=None):
    return MODES[job.spec.tpu.allocation_mode].release(job, held)


def name_of(job):
    return target_of(job, job.spec.tpu.first_placement).name


def unreachable(job):
    return replace(job, cloud=replace(job.cloud, ssh=replace(job.cloud.ssh, port=1)))


@pytest.mark.parametrize("mode", sorted(MODES))
def test_slices_that_are_still_creating_are_usable_once_their_workers_answer(cloud, control, mode):
    control.fault("stuck")
    job = job_for(cloud, f"early-{mode[:3]}", mode)
    held = provision(job)
    assert cloud.node(held.slices[0].node_id).state.name == "CREATING"
    said = job.session.workers(held, job.cloud.ssh).run("echo here", timeout_s=20)
    assert [result.stdout.strip() for result in said.results] == ["here"]
    control.clear()
    release(job, held)
    assert cloud.nodes() == set()


def test_an_operation_that_never_ends_is_not_waited_for(cloud, control):
    control.fault("lost-operation")
    job = job_for(cloud, "lostop-0001")
    release(job, provision(job))


def test_what_only_says_that_it_is_ready_is_not_usable(cloud):
    job = unreachable(job_for(cloud, "mute-0001", connect_timeout_s=0.5))
    expected = r"(?s)not all of its workers answered within 0\.5 s \(`tpu\.connect_timeout_s`\).*READY.*w0: "
    with pytest.raises(CloudRefused, match=expected):
        provision(job)
    release(job)
    assert cloud.nodes() == set()


def test_the_queue_has_its_own_deadline(cloud, control):
    control.fault("stockout")
    job = job_for(cloud, "phase1-0001", "queued-resources", queue_timeout_s=0.3)
    with pytest.raises(CloudRefused, match=r"within 0\.3 s \(`tpu\.queue_timeout_s`\).*WAITING") as caught:
        provision(job)
    assert caught.value.refusal is Refusal.STOCKOUT
    release(job)


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "state"), [("tpu-vm", "CREATING"), ("queued-resources", "PROVISIONING")])
def test_the_creation_has_its_own_deadline(tmp_path, mode, state):
    with clouded(tmp_path, create_s=600.0) as slow:
        job = unreachable(job_for(slow, "phase2-0001", mode, active_timeout_s=0.5))
        with pytest.raises(CloudRefused, match=rf"within 0\.5 s \(`tpu\.active_timeout_s`\).*{state}"):
            provision(job)
        release(job)
        assert slow.nodes() == set()


def test_published_host_keys_are_pinned_before_the_first_connection(cloud):
    job = job_for(cloud, "pinned-0001", accelerator="v5litepod-16")
    held = provision(job)
    kept = _known(job)
    published = TpuApi(job.cloud, ZONE).read(
        "get_guest_attributes",
        name=f"projects/{job.cloud.project}/locations/{ZONE}/nodes/{name_of(job)}",
        query_path="hostkeys/",
    )
    told = [
        f"{item.key} {item.value}"
        for worker in published.guest_attributes
        for item in worker.query_value.items
    ]
    assert [kept[worker.host_key_name] for worker in held.workers] == told
    incarnation = held.slices[0].incarnation
    assert held.workers[0].host_key_name == f"tpu.{name_of(job)}.{incarnation}-0"
    release(job, held)
    assert not any(name_of(job) in name for name in _known(job))


def test_a_worker_that_shows_another_key_than_was_published_is_not_used(cloud, monkeypatch):
    forged = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGPd1zYpPqkdoMnMfo1kPqzB6nY6MyBZ0bT9VqYqYb1C"
    monkeypatch.setattr(host_keys, "_keys", lambda _items: [forged])
    job = job_for(cloud, "forged-0001")
    with pytest.raises(ProvisionError, match=r"the host key of tpu\.tester-forged-0001"):
        provision(job)
    release(job)
    assert cloud.nodes() == set()


def test_without_guest_attributes_the_first_key_is_the_one(cloud, control):
    control.fault("api-error", method="GetGuestAttributes", code="FAILED_PRECONDITION", text="switched off")
    job = job_for(cloud, "trusting-0001")
    held = provision(job)
    assert held.workers[0].host_key_name in _known(job)
    release(job, held)


def test_what_guests_publish_cannot_add_lines_to_the_file():
    from google.cloud import tpu_v2

    entries = [
        tpu_v2.GuestAttributesEntry(namespace="hostkeys", key=key, value=value)
        for key, value in (
            ("ssh-rsa", "AAAA\nevil ssh-rsa BBBB"),
            ("ssh rsa", "AAAA"),
            ("ssh-ed25519", "AAAA"),
        )
    ]
    assert host_keys._keys(entries) == ["ssh-ed25519 AAAA"]


def test_slices_that_the_service_took_while_they_were_waited_for(cloud, control):
    job = job_for(cloud, "taken-0001", "queued-resources")
    held = provision(job)
    control.fault("suspended-queue", node=name_of(job))
    eventually(lambda: _queued(cloud, job).state.state.name == "SUSPENDED")
    with pytest.raises(CloudRefused, match=r"\(by service\): its slices were preempted") as caught:
        provision(job)
    assert caught.value.refusal is Refusal.STOCKOUT
    left = _queued(cloud, job)
    assert left is None or left.state.state.name == "DELETING"
    release(job, held)
    assert _queued(cloud, job) is None


def test_what_is_seen_of_a_slice_says_what_ails_it(cloud, control):
    job = job_for(cloud, "ailing-0001")
    held = provision(job)
    eventually(lambda: cloud.node(name_of(job)).state.name == "READY")
    control.fault("unhealthy", node=name_of(job), text="a chip is hot")
    control.fault("symptom", node=name_of(job), worker=0, value="HBM_OUT_OF_MEMORY")
    control.fault("maintenance", node=name_of(job), notice_s=3600, value="SCHEDULED")
    (seen,) = tpuherd_tpu_vm.observe(job, held)
    assert seen.presence is Presence.PRESENT
    for text in ("a chip is hot", "UNHEALTHY_MAINTENANCE", "HBM_OUT_OF_MEMORY", "worker 0", "maintenance"):
        assert text in seen.detail
    release(job, held)


def test_a_healthy_slice_has_nothing_to_say(cloud):
    job = job_for(cloud, "healthy-0001")
    held = provision(job)
    eventually(lambda: cloud.node(name_of(job)).state.name == "READY")
    (seen,) = tpuherd_tpu_vm.observe(job, held)
    assert (seen.state, seen.detail) == ("READY", "")
    release(job, held)


def test_the_same_name_in_another_zone_has_other_host_keys(tmp_path):
    with clouded(tmp_path) as cloud:
        job = job_for(cloud, "twice-0001", zone=None, zones=[ZONE, "us-east1-c"])
        first = provision(job)
        release(job, first)
        second = provision(replace(job, attempt=replace(job.attempt, zone="us-east1-c")))
        assert first.workers[0].node_id == second.workers[0].node_id
        assert first.workers[0].host_key_name != second.workers[0].host_key_name
        release(job, second)


def _known(job):
    """Host keys by name, from the file."""
    lines = job.session._known_hosts.read_text().splitlines()
    return {name: key for name, _, key in (line.partition(" ") for line in lines)}


def _queued(cloud, job):
    return cloud.api.get("get_queued_resource", f"queuedResources/{name_of(job)}")
