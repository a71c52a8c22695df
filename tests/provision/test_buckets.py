"""Buckets in another region than the TPUs: Google's storage client on the emulated storage."""

from __future__ import annotations

from dataclasses import replace

import pytest
from google.auth.credentials import AnonymousCredentials
from google.cloud import storage

import tpuherd_tpu_vm
from tpuherd.cloud.buckets import buckets_of, warn_of_distant
from tpuherd.output.reporter import Reporter


class Listening(Reporter):
    """Keeps notes."""

    def __init__(self):
        super().__init__()
        self.notes = []

    def note(self, text):
        self.notes.append(text)


@pytest.fixture(scope="module")
def buckets(cloud):
    options = {"api_endpoint": cloud.info.storage_url}
    client = storage.Client("p", AnonymousCredentials(), client_options=options)
    client.create_bucket("near", location="us-west4")
    client.create_bucket("far", location="europe-west4")
    client.create_bucket("wide", location="US")
    yield cloud
    client.close()


def notes(cloud, tpu=None, **sections):
    job = cloud.job(tpu=tpu, **sections)
    job.session.reporter = Listening()
    warn_of_distant(job)
    return job.session.reporter.notes


def test_a_bucket_far_away_is_said_with_what_it_costs(buckets):
    assert notes(buckets, output={"directory": "gs://far/results"}) == [
        "bucket far is in EUROPE-WEST4, the TPUs in us-west4-a: moving its data costs about 0.05 USD per GiB"
    ]


def test_mounted_buckets_count_too(buckets):
    mounts = {"bucket_name": "near", "mount_path": "/a"}
    mounts |= {"extra_mounts": [{"bucket_name": "wide", "mount_path": "/b"}]}
    (note,) = notes(buckets, gcsfuse=mounts)
    assert note.startswith("bucket wide is in US, the TPUs in us-west4-a: moving its data costs about 0.02")


def test_every_zone_that_is_not_near_is_said(buckets):
    zones = {"zones": ["us-west4-a", "europe-west4-b", "us-east5-a"], "zone": None}
    tpu = {key: value for key, value in zones.items() if value}
    job = buckets.factory(
        {"tpu": {"accelerator": "v5litepod-8", **tpu}, "output": {"directory": "gs://near"}}
    )
    job = replace(job, cloud=buckets.job().cloud)
    job.session.reporter = Listening()
    warn_of_distant(job)
    found = job.session.reporter.notes
    assert len(found) == 2
    assert "europe-west4-b" in found[0]
    assert "us-east5-a" in found[1]


@pytest.mark.parametrize("directory", ["gs://near/x", "gs://not-there/x", "/a/folder"])
def test_nothing_to_say(buckets, directory):
    assert notes(buckets, output={"directory": directory}) == []


def test_a_storage_that_does_not_answer_stops_nothing(buckets):
    job = buckets.job(output={"directory": "gs://far"})
    gone = {"STORAGE_EMULATOR_HOST": "http://127.0.0.1:9"}
    job = replace(job, cloud=replace(job.cloud, worker_variables=gone))
    job.session.reporter = Listening()
    warn_of_distant(job)
    assert job.session.reporter.notes == []


def test_each_bucket_is_asked_once(buckets):
    spec = buckets.job(
        output={"directory": "gs://far/a"}, gcsfuse={"bucket_name": "far", "mount_path": "/b"}
    ).spec
    assert buckets_of(spec) == ("far",)


@pytest.mark.slow
def test_provisioning_says_it_and_goes_on(buckets):
    job = buckets.job(job_id="distant-0001", output={"directory": "gs://far/results"})
    job.session.reporter = Listening()
    held = tpuherd_tpu_vm.provision(job, job.attempt)
    try:
        assert held.accelerator == "v5litepod-8"
        assert job.session.reporter.notes[0].startswith("bucket far is in EUROPE-WEST4")
    finally:
        tpuherd_tpu_vm.release(job, held)
