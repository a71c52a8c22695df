"""One slice as a node of the TPU API."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import pytest
from clouded import ZONE, clouded, eventually, kill_daemon

import tpuherd_tpu_vm as plugin
from tpuherd import ConfigError, ProvisionError
from tpuherd.cloud import client, trial, zone_listing
from tpuherd.cloud.naming import target_of
from tpuherd.cloud.refusals import CloudRefused
from tpuherd.model.failure import Presence
from tpuherd.model.job import Attempt
from tpuherd_emulator.control.client import Control


def provision(job):
    return plugin.provision(job, job.attempt)


def node_name(job):
    return target_of(job, job.spec.tpu.first_placement).name


def unreachable(job):
    """The same job, which knocks at a port where nobody listens."""
    return replace(job, cloud=replace(job.cloud, ssh=replace(job.cloud.ssh, port=1)))


def somebody_elses(cloud, name):
    node = {"accelerator_type": "v5litepod-8", "runtime_version": "v2-alpha-tpuv5-lite"}
    cloud.api.change("create_node", parent=cloud.api.parent, node_id=name, node=node)
    eventually(lambda: cloud.node(name).state.name == "READY")


def test_four_workers_with_their_numbers_names_and_addresses(cloud):
    job = cloud.job(tpu={"accelerator": "v5litepod-16"}, job_id="four-0001")
    held = provision(job)
    node = cloud.node(node_name(job))
    (piece,) = held.slices
    assert (piece.node_id, piece.zone, piece.accelerator) == (node_name(job), ZONE, "v5litepod-16")
    assert piece.incarnation == str(node.id)
    assert [worker.index for worker in held.workers] == [0, 1, 2, 3]
    assert [worker.slice_worker for worker in held.workers] == [0, 1, 2, 3]
    assert [worker.name for worker in held.workers] == ["w0", "w1", "w2", "w3"]
    assert [worker.internal_address for worker in held.workers] == [
        e.ip_address for e in node.network_endpoints
    ]
    assert held.project == cloud.info.project
    assert held.queued_resource_id is None

    said = job.session.workers(held, job.cloud.ssh).run(
        "curl -sH Metadata-Flavor:Google "
        "$GCE_METADATA_IP/computeMetadata/v1/instance/attributes/agent-worker-number",
        timeout_s=20,
    )
    assert [result.stdout.strip() for result in said.results] == ["0", "1", "2", "3"]
    assert plugin.release(job, held) is True
    assert cloud.node(node_name(job)) is None


def test_the_node_says_whose_it_is_and_how_it_was_asked_for(cloud, tmp_path):
    (cloud.factory._folder / "boot.sh").write_text("touch booted\n")
    job = cloud.job(
        tpu={
            "pricing": "spot",
            "labels": {"team": "a"},
            "metadata": {"color": "red"},
            "tags": ["t1"],
            "startup_script": "boot.sh",
        },
        job_id="labelled-0001",
    )
    held = provision(job)
    node = cloud.node(node_name(job))
    assert dict(node.labels) == {
        "team": "a",
        "tpuherd-owner": "tester",
        "tpuherd-job": "labelled-0001",
        "tpuherd-attempt": "1",
    }
    assert node.scheduling_config.spot
    assert node.metadata["color"] == "red"
    assert node.metadata["startup-script"] == "touch booted\n"
    assert node.metadata["ssh-keys"].startswith(f"{cloud.info.ssh_user}:ssh-")
    assert list(node.tags) == ["t1"]
    plugin.release(job, held)


def test_again_it_adopts_what_is_there(cloud):
    job = cloud.job(job_id="again-0001")
    first = provision(job)
    assert provision(job) == first
    assert provision(cloud.job(job_id="again-0001")) == first
    plugin.release(job, first)


def test_recreated_under_the_same_name_it_is_another_incarnation(cloud):
    job = cloud.job(job_id="reborn-0001")
    first = provision(job)
    plugin.release(job, first)
    second = provision(job)
    assert [piece.node_id for piece in first.slices] == [piece.node_id for piece in second.slices]
    assert first.incarnation != second.incarnation

    (old,) = plugin.observe(job, first)
    assert old.presence is Presence.ABSENT
    assert "another node of the same name" in old.detail
    (new,) = plugin.observe(job, second)
    assert (new.presence, new.state) == (Presence.PRESENT, "READY")
    plugin.release(job, second)
    (gone,) = plugin.observe(job, second)
    assert (gone.presence, gone.state, gone.detail) == (Presence.ABSENT, "", "")


def test_somebody_elses_node_is_refused_and_left_alone(cloud):
    job = cloud.job(tpu={"name": "shared-name"}, job_id="foreign-0001")
    somebody_elses(cloud, "shared-name")
    with pytest.raises(
        ProvisionError, match=r"(?s)shared-name .*exists already.*foreign-0001 did not.*tpu\.name"
    ):
        provision(job)
    assert plugin.release(job, None) is True
    assert cloud.node("shared-name").state.name == "READY"
    cloud.api.change("delete_node", name=f"{cloud.api.parent}/nodes/shared-name")


def test_another_job_of_ours_is_somebody_else(cloud):
    mine, other = (cloud.job(tpu={"name": "taken"}, job_id=f"taken-000{number}") for number in (1, 2))
    held = provision(mine)
    with pytest.raises(ProvisionError, match="taken-0002 did not make it"):
        provision(other)
    plugin.release(other, None)
    assert "taken" in cloud.nodes()
    plugin.release(mine, held)
    assert "taken" not in cloud.nodes()


def test_release_again_and_of_nothing(cloud):
    job = cloud.job(job_id="twice-0001")
    assert plugin.release(job, None) is True
    held = provision(job)
    assert plugin.release(job, held) is True
    assert plugin.release(job, held) is True
    assert plugin.release(job, None) is True


def test_losing_the_access_to_a_zone_is_no_news_of_what_is_held_there(cloud):
    job = cloud.job(job_id="access-0001")
    held = provision(job)
    with Control(cloud.info) as control:
        control.fault("permission", method="ListNodes", zone=ZONE, count=1)
        with pytest.raises(CloudRefused, match="access is unauthorized"):
            plugin.release(job, held)
        assert node_name(job) in cloud.nodes()
        control.fault("permission", method="ListNodes", zone=ZONE, count=1)
        assert plugin.release(job, None) is True, "a zone that was never open must not fail a job's end"
    plugin.release(job, held)
    assert node_name(job) not in cloud.nodes()


def test_a_later_attempt_gives_back_what_an_earlier_one_made(cloud):
    job = cloud.job(job_id="kept-0001")
    held = provision(job)
    later = replace(job, attempt=Attempt(number=2, zone="us-east1-d"))
    plugin.release(later, held)
    assert cloud.node(held.slices[0].node_id) is None


def test_attempts_that_replace_slices_have_names_of_their_own(cloud):
    job = cloud.job(job_id="named-0001")
    assert node_name(replace(job, attempt=Attempt(number=3))) == f"{node_name(job)}-3"


@pytest.mark.parametrize(
    ("tpu", "says"),
    [
        (
            {"version": "v2-alpha-tpuv5-liter"},
            r"not offered in us-west4-a; did you mean 'v2-alpha-tpuv5-lite'",
        ),
        ({"zone": "us-west4-zz9"}, r"PERMISSION_DENIED: Location .*us-west4-zz9.*\ncorrect `tpu\.zone`"),
    ],
)
def test_what_the_api_refuses_comes_with_advice(cloud, tpu, says):
    with pytest.raises(ProvisionError, match=says):
        provision(cloud.job(tpu=tpu, job_id="refused-0001"))


def test_what_cannot_work_is_refused_by_the_plan(cloud):
    with pytest.raises(ConfigError, match=r"tpu\.slices: .*queued-resources"):
        plugin.plan(cloud.job(tpu={"slices": 2}).spec)
    with pytest.raises(ConfigError, match=r"tpu\.accelerator: only GKE sells tpu7x-8"):
        plugin.plan(cloud.job(tpu={"accelerator": "tpu7x-8"}).spec)
    steps = plugin.plan(cloud.job().spec)
    assert [step.stage for step in steps] == ["provision", "provision", "release"]
    assert "v5litepod-8" in steps[0].action


def test_a_half_created_node_is_found_by_its_name(slow_cloud):
    job = unreachable(slow_cloud.job(job_id="half-0001"))
    worker = threading.Thread(target=_cancelled_provision, args=(job,))
    worker.start()
    eventually(lambda: slow_cloud.node(node_name(job)))
    job.session.cancel()
    worker.join()
    assert slow_cloud.node(node_name(job)).state.name == "CREATING"
    job.session.allow_cleanup()
    plugin.release(job, None)
    assert slow_cloud.nodes() == set()


def _cancelled_provision(job):
    from tpuherd.errors import Cancelled

    with pytest.raises(Cancelled):
        provision(job)


def test_release_while_an_earlier_release_is_under_way(slow_cloud):
    job = slow_cloud.job(job_id="deleting-0001")
    held = provision(job)
    slow_cloud.api.change("delete_node", name=f"{slow_cloud.api.parent}/nodes/{node_name(job)}")
    assert slow_cloud.node(node_name(job)).state.name == "DELETING"
    assert plugin.release(job, held) is True
    assert slow_cloud.node(node_name(job)) is None


def test_deleted_behind_our_back_while_we_wait(slow_cloud):
    job = unreachable(slow_cloud.job(job_id="behind-0001"))
    name = node_name(job)

    def delete_it():
        eventually(lambda: slow_cloud.node(name))
        slow_cloud.api.change("delete_node", name=f"{slow_cloud.api.parent}/nodes/{name}")

    somebody = threading.Thread(target=delete_it)
    somebody.start()
    with pytest.raises(ProvisionError, match=rf"node {name}.*(became DELETING|overtaken)"):
        provision(job)
    somebody.join()


def test_the_timeout_of_the_job_file_is_kept(slow_cloud):
    job = unreachable(slow_cloud.job(tpu={"provision_timeout_s": 0.3}, job_id="late-0001"))
    with pytest.raises(ProvisionError, match=r"longer than 0\.3 s \(`tpu\.provision_timeout_s`\).*CREATING"):
        provision(job)
    plugin.release(job, None)
    assert slow_cloud.nodes() == set()


def test_without_an_api_nothing_is_known_and_nothing_hangs(tmp_path, monkeypatch):
    monkeypatch.setattr(client, "LOCAL_RETRY_S", 0.5)
    monkeypatch.setattr(zone_listing, "RETRY_S", 0.5)
    with clouded(tmp_path) as cloud:
        job = cloud.job(job_id="down-0001")
        held = provision(job)
        kill_daemon(cloud)
        began = time.monotonic()
        (seen,) = plugin.observe(job, held)
        assert seen.presence is Presence.UNKNOWN
        assert "UNAVAILABLE" in seen.detail
        for call in (lambda: provision(job), lambda: plugin.release(job, held)):
            with pytest.raises(ProvisionError, match=r"UNAVAILABLE(.|\n)*does not answer: try again later"):
                call()
        assert time.monotonic() - began < 40


def test_notes_say_how_long_it_has_waited(slow_cloud, monkeypatch):
    monkeypatch.setattr(trial, "NOTE_EVERY_S", 0.05)
    job = unreachable(slow_cloud.job(tpu={"active_timeout_s": 0.5}, job_id="noting-0001"))
    said = []
    monkeypatch.setattr(job.session.reporter, "note", said.append)
    with pytest.raises(ProvisionError):
        provision(job)
    assert any(text.startswith(f"waiting for the node in {ZONE} (CREATING), ") for text in said)
