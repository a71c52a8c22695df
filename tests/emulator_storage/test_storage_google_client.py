"""The unmodified google-cloud-storage client."""

from __future__ import annotations

import contextlib
import gc
import io
import os

import pytest
from google.api_core import exceptions
from google.auth.credentials import AnonymousCredentials
from google.cloud import storage
from google.cloud.storage import transfer_manager
from storage_clients import BUCKET

MIB = 1024 * 1024


def test_token_in_the_endpoint_variable_works(server, monkeypatch):
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", server.url)
    with contextlib.closing(storage.Client(project="p", credentials=AnonymousCredentials())) as client:
        blob = client.bucket(BUCKET).blob("dir/a b%25+#?ü.txt")
        blob.upload_from_string(b"hello")
        assert blob.download_as_bytes() == b"hello"
        assert blob.media_link.startswith(server.url)
        assert blob.self_link.startswith(server.url)
        assert [found.name for found in client.list_blobs(BUCKET)] == ["dir/a b%25+#?ü.txt"]


def test_buckets(client):
    made = client.create_bucket("another-bucket", location="us-central2")
    assert (made.location, made.metageneration) == ("US-CENTRAL2", 1)
    with pytest.raises(exceptions.Conflict):
        client.create_bucket("another-bucket")
    made.labels = {"team": "x"}
    made.patch()
    assert client.get_bucket("another-bucket").labels == {"team": "x"}
    assert [bucket.name for bucket in client.list_buckets()] == [BUCKET, "another-bucket"]
    made.blob("x").upload_from_string(b"1")
    with pytest.raises(exceptions.Conflict, match="not empty"):
        made.delete()
    made.delete(force=True)
    with pytest.raises(exceptions.NotFound):
        client.get_bucket("another-bucket")


def test_no_bucket_is_made_on_the_side(client):
    with pytest.raises(exceptions.NotFound, match="The specified bucket does not exist"):
        client.bucket("no-such-bucket").blob("x").upload_from_string(b"1")
    with pytest.raises(exceptions.NotFound):
        list(client.list_blobs("no-such-bucket"))


def test_metadata(bucket):
    blob = bucket.blob("x")
    blob.metadata = {"colour": "red", "size": "big"}
    blob.cache_control = "no-store"
    blob.upload_from_string(b"1", content_type="text/csv")
    first = bucket.get_blob("x")
    assert (first.content_type, first.cache_control) == ("text/csv", "no-store")
    first.metadata = {"colour": None, "shape": "round"}
    first.patch()
    found = bucket.get_blob("x")
    assert found.metadata == {"size": "big", "shape": "round"}
    assert (found.generation, found.metageneration) == (blob.generation, 2)
    found.content_type = "text/plain"
    found.update()
    assert bucket.get_blob("x").content_type == "text/plain"


def test_resumable_upload_and_checksums(bucket):
    data = os.urandom(5 * MIB + 13)
    blob = bucket.blob("big", chunk_size=MIB)
    blob.upload_from_file(io.BytesIO(data), checksum="crc32c")
    whole = bucket.blob("big")
    assert whole.download_as_bytes(checksum="md5") == data
    assert whole.download_as_bytes(start=MIB - 1, end=MIB + 1) == data[MIB - 1 : MIB + 2]


def test_resumable_upload_of_unknown_size(bucket):
    data = os.urandom(3 * 256 * 1024 + 5)
    with bucket.blob("streamed").open("wb", chunk_size=256 * 1024) as file:
        file.write(data)
    assert bucket.blob("streamed").download_as_bytes() == data


def test_preconditions(bucket):
    blob = bucket.blob("x")
    blob.upload_from_string(b"1", if_generation_match=0)
    with pytest.raises(exceptions.PreconditionFailed):
        blob.upload_from_string(b"2", if_generation_match=0)
    with pytest.raises(exceptions.PreconditionFailed):
        blob.delete(if_generation_match=blob.generation + 1)
    with pytest.raises(exceptions.PreconditionFailed):
        blob.reload(if_metageneration_match=7)
    old = blob.generation
    blob.upload_from_string(b"3", if_generation_match=old)
    assert blob.generation > old
    assert blob.download_as_bytes(if_generation_match=blob.generation) == b"3"
    with pytest.raises(exceptions.NotFound):
        bucket.blob("x", generation=old).download_as_bytes()
    blob.delete(if_generation_match=blob.generation)
    assert not blob.exists()


def test_compose_rewrite_copy_and_move(client, bucket):
    parts = [bucket.blob(f"part{number}") for number in range(3)]
    for number, part in enumerate(parts):
        part.upload_from_string(b"x" * number + b"|", content_type="text/plain")
    whole = bucket.blob("whole")
    whole.compose(parts)
    assert whole.download_as_bytes() == b"|x|xx|"
    assert (whole.component_count, whole.md5_hash) == (3, None)
    with pytest.raises(exceptions.BadRequest, match="32"):
        bucket.blob("toomany").compose(parts * 11)
    other = client.create_bucket("other-bucket")
    token, written, total = other.blob("copy").rewrite(whole)
    assert (token, written, total) == (None, 6, 6)
    assert bucket.copy_blob(parts[0], other, "again").download_as_bytes() == b"|"
    moved = bucket.move_blob(parts[1], "moved", if_generation_match=0)
    assert moved.download_as_bytes() == b"x|"
    assert not parts[1].exists()
    with pytest.raises(exceptions.PreconditionFailed):
        other.blob("copy").rewrite(whole, if_generation_match=0)
    with pytest.raises(exceptions.PreconditionFailed):
        other.blob("new").rewrite(whole, if_source_generation_match=1)


def test_batch(client, bucket):
    blobs = [bucket.blob(f"b/{number} ü") for number in range(3)]
    for blob in blobs:
        blob.upload_from_string(b"1")
    with client.batch():
        blobs[0].delete()
        blobs[1].metadata = {"a": "b"}
        blobs[1].patch()
    assert [blob.name for blob in client.list_blobs(bucket, prefix="b/")] == ["b/1 ü", "b/2 ü"]
    assert bucket.get_blob("b/1 ü").metadata == {"a": "b"}
    with pytest.raises(exceptions.NotFound), client.batch():
        bucket.blob("missing").delete()


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # the client's threads do not close their connections
def test_parallel_upload_in_parts(bucket, tmp_path):
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_bytes(os.urandom(11 * MIB))
    blob = bucket.blob("parts/ü x")
    transfer_manager.upload_chunks_concurrently(
        str(source), blob, chunk_size=5 * MIB, max_workers=3, worker_type=transfer_manager.THREAD
    )
    transfer_manager.download_chunks_concurrently(
        blob, str(target), chunk_size=4 * MIB, max_workers=3, worker_type=transfer_manager.THREAD
    )
    assert target.read_bytes() == source.read_bytes()
    gc.collect()


def test_faults_are_retried_by_the_client(server, bucket):
    from tpuherd_emulator.storage.faults import Fault

    bucket.blob("x").upload_from_string(b"1")
    server.faults.add(Fault(status=503, path_contains="/o/x"))
    server.faults.add(Fault(status=None, path_contains="/o/x"))
    assert bucket.blob("x").download_as_bytes() == b"1"
    server.faults.add(Fault(status=429, times=3, method="PATCH"))
    server.faults.clear()
    assert bucket.blob("x").exists()
