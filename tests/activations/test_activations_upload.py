"""Documents of this machine get into the bucket before slices are asked for, and are not put there twice."""

from __future__ import annotations

import extracting
import pytest
from clouded import clouded

from tpuherd import WorkloadError
from tpuherd.cloud.buckets import client
from tpuherd.hooks import Hooks
from tpuherd_activations import uploading
from tpuherd_activations.worker.places import open_place


@pytest.fixture(scope="module")
def cloud(tmp_path_factory):
    with clouded(tmp_path_factory.mktemp("cloud")) as made:
        yield made


@pytest.fixture
def upload(cloud, tpuherd_plugins, monkeypatch, request):
    """A job of a new bucket, the bucket's folder, and what asks for slices as the engine does."""
    monkeypatch.setattr(uploading, "_DONE", set())
    name = f"data-{abs(hash(request.node.nodeid)) % 10**9}-{len(cloud.jobs)}"
    extracting.write(cloud.folder / name / "a.jsonl", [{"text": f"document {index}"} for index in range(7)])
    section = {
        "model": f"gs://{name}/model",
        "hooks": ["blocks.0.hook_resid_post"],
        "input": f"gs://{name}/in",
        "local_input": name,
        "streams": 2,
    }
    job = cloud.job(workload={"kind": "activations"}, activations=section, job_id=f"job-{name}")
    storage = client(job)
    storage.create_bucket(name)
    return job, open_place(f"gs://{name}/in", client=storage), Hooks(tpuherd_plugins, job.spec)


@pytest.mark.slow
def test_what_asks_for_slices_puts_the_documents_first(cloud, upload):
    job, target, hooks = upload
    allocation = hooks.provision(job=job, attempt=job.attempt)
    whole = {name: target.find(name) for name in target.names()}
    assert sorted(whole) == ["stream_000.jsonl", "stream_001.jsonl", "streams.json"]
    assert whole["stream_001.jsonl"].count(b"\n") == 3
    uploading._DONE.clear()  # as another process
    uploading.put_input(job)
    assert {name: target.find(name) for name in target.names()} == whole
    hooks.release(job=job, allocation=allocation)


def test_other_documents_of_the_same_names_are_refused_and_nothing_is_asked_for(cloud, upload):
    job, target, hooks = upload
    assert target.create("stream_000.jsonl", b'{"text": "something else"}\n')
    with pytest.raises(WorkloadError, match=r"local_input: .*stream_000\.jsonl: what lies there"):
        hooks.provision(job=job, attempt=job.attempt)
    assert not cloud.nodes()
