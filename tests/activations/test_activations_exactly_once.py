"""Whatever is killed, and whoever helps: the same bytes."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import extracting
import numpy as np
import pytest

import tpuherd_activations
from tpuherd_activations.worker.__main__ import scratch_of
from tpuherd_activations.worker.claims import Holder
from tpuherd_activations.worker.errors import InputError, PlaceError
from tpuherd_activations.worker.places import open_place
from tpuherd_emulator.storage.faults import Fault

KILLED = -9


@pytest.fixture
def source(tmp_path):
    extracting.write(tmp_path / "in/stream_000.jsonl", extracting.documents(12))
    extracting.write(tmp_path / "in/stream_001.jsonl", extracting.documents(5))
    return str(tmp_path / "in")


@pytest.fixture
def small(tmp_path):
    """Two files, a part each."""
    for name in ("a", "b"):
        extracting.write(tmp_path / f"in/{name}.jsonl", extracting.documents(4))
    return str(tmp_path / "in")


def contents(address):
    """All files of a dataset."""
    place = open_place(address)
    return {name: place.find(name) for name in place.names()}


def name_in(folder):
    """The only dataset's."""
    (found,) = folder.iterdir()
    return found.name


def program(source, output, worker="w0", kill_at=0):
    scratch = str(Path(source).parent)
    command = [sys.executable, extracting.__file__, source, output, worker, str(kill_at), scratch]
    return subprocess.run(command, capture_output=True, text=True, timeout=100)


def test_batches_that_are_computed_side_by_side_give_the_same_bytes(source, tmp_path):
    threads, compiling, compiled = set(), set(), set()

    def compute(tokens, segments):
        shape = tokens.shape
        assert shape in compiled or shape not in compiling, "two threads compile the same program"
        compiling.add(shape)
        threads.add(threading.get_ident())
        time.sleep(0 if shape in compiled else 0.05)
        compiled.add(shape)
        return extracting.forward(tokens, segments)

    one = extracting.extract(source, str(tmp_path / "one"))
    two = extracting.extract(source, str(tmp_path / "two"), compute=compute, abreast=2)
    assert contents(one) == contents(two)
    assert len(threads) == 2


def test_an_error_of_the_model_ends_the_run(source, tmp_path):
    def compute(tokens, segments):
        raise RuntimeError("out of memory")

    with pytest.raises(RuntimeError, match="out of memory"):
        extracting.extract(source, str(tmp_path / "out"), compute=compute, abreast=2)
    assert not list(tmp_path.glob("out/*/shards/*"))


def test_every_row_is_what_the_model_gave(source, tmp_path):
    dataset = tpuherd_activations.open(extracting.extract(source, str(tmp_path / "out")))
    rows = dataset.take(np.arange(len(dataset)))
    documents = [record["ids"][:300] for count in (12, 5) for record in extracting.documents(count)]
    assert np.array_equal(rows.token_ids, np.concatenate(documents))
    assert np.array_equal(rows.document_ids, np.repeat(np.arange(17), [len(ids) for ids in documents]))
    assert np.array_equal(rows.positions, np.concatenate([np.arange(len(ids)) for ids in documents]))
    wanted = np.concatenate([extracting.expected(np.array(ids, int)) for ids in documents])
    assert np.array_equal(rows.activations["blocks.0.attn.hook_z"].reshape(-1, 6), wanted + 1)
    assert np.abs(rows.activations["blocks.1.hook_resid_post"] - wanted).max() < 2**-8
    assert dataset.totals["truncated_documents"] == 2
    assert dataset.totals["truncated_tokens"] == 100
    assert not dataset.verify()


@pytest.mark.slow(15)
def test_killed_before_every_change_of_a_folder(small, tmp_path):
    whole = contents(extracting.extract(small, str(tmp_path / "whole")))
    for kill_at in range(1, 1000):
        output = str(tmp_path / f"killed-{kill_at}")
        ended = program(small, output, kill_at=kill_at)
        if ended.returncode == 0:
            break
        assert ended.returncode == KILLED, ended.stderr
        assert contents(extracting.extract(small, output, lease_s=0.2)) == whole, f"killed at {kill_at}"
        assert not list(Path(output).rglob(".work")), "nothing is left behind"
    assert kill_at > 20, "so many changes there are at least"


@pytest.mark.slow(15)
def test_killed_again_and_again_in_a_bucket(source, tmp_path, bucket):
    whole = contents(extracting.extract(source, str(tmp_path / "whole")))
    for kill_at in (*range(1, 18, 2), 0):
        ended = program(source, f"{bucket}/killed", kill_at=kill_at)
        assert ended.returncode == (KILLED if kill_at else 0), ended.stderr
    assert contents(f"{bucket}/killed/{name_in(tmp_path / 'whole')}") == whole


@pytest.mark.slow(15)
@pytest.mark.parametrize("where", ["folder", "bucket"])
def test_several_workers_and_a_dying_one(source, tmp_path, bucket, where):
    output = f"{bucket}/shared" if where == "bucket" else str(tmp_path / "shared")
    whole = contents(extracting.extract(source, str(tmp_path / "whole")))
    with ThreadPoolExecutor(3) as pool:
        ended = list(pool.map(program, [source] * 3, [output] * 3, ["w0", "w1", "w2"], [15, 0, 0]))
    codes = [one.returncode for one in ended]
    assert codes[0] in {KILLED, 0}, ended[0].stderr
    assert codes[1:] == [0, 0], ended[1].stderr + ended[2].stderr
    assert contents(f"{output}/{name_in(tmp_path / 'whole')}") == whole


def test_nothing_temporary_is_left(tmp_path, source):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    extracting.extract(source, str(tmp_path / "out"), scratch=scratch)
    assert not list(scratch.iterdir())
    assert not list((tmp_path / "out").rglob(".work"))


def test_input_in_a_bucket_is_the_same_input(small, tmp_path, bucket):
    whole = extracting.extract(small, str(tmp_path / "out"))
    target = open_place(f"{bucket}/in")
    for file in Path(small).iterdir():
        assert target.create(file.name, file.read_bytes())
    there = extracting.extract(f"{bucket}/in", f"{bucket}/out")
    assert Path(whole).name == there.rpartition("/")[2], (
        "the hash depends on what the files hold, not on where"
    )
    assert contents(there) == contents(whole)


def test_a_bad_document_ends_the_run_and_frees_its_part(small, tmp_path):
    (Path(small) / "b.jsonl").write_text('{"ids": [1, 2]}\n{"ids": "words"}\n')
    with pytest.raises(InputError, match=r"b\.jsonl: line 2: ids: expected tokens, got str"):
        extracting.extract(small, str(tmp_path / "out"), lease_s=60)
    (dataset,) = (tmp_path / "out").iterdir()
    place = open_place(str(dataset))
    assert place.cell("claims/part-000001")[0] == b"{}"
    assert place.find("dataset.json") is None


@pytest.mark.parametrize(
    ("where", "message"),
    [("folder", "there is another file of this name"), ("bucket", "what lies there is not what was written")],
)
def test_what_lies_in_the_way_is_not_taken_for_a_shard(small, tmp_path, bucket, where, message):
    whole = Path(extracting.extract(small, str(tmp_path / "whole")))
    output = f"{bucket}/out" if where == "bucket" else str(tmp_path / "out")
    place = open_place(f"{output}/{whole.name}")
    (name, *_) = [name for name in contents(str(whole)) if name.startswith("shards/")]
    assert place.create(name, b"cut short")
    with pytest.raises(PlaceError, match=message):
        extracting.extract(small, output)
    assert place.find("dataset.json") is None
    place.delete(name)
    assert place.create(
        f"{name.rpartition('/')[0]}/rows-00000000.safetensors", b"of a worker that was killed"
    )
    assert contents(extracting.extract(small, output)) == contents(str(whole))


def test_an_upload_that_cannot_be_verified_ends_the_run(small, tmp_path, bucket, storage):
    whole = contents(extracting.extract(small, str(tmp_path / "whole")))
    storage.faults.add(Fault(status=403, method="GET", path_contains="sums-"))
    with pytest.raises(PlaceError, match=r"gs://data/out/.*: Forbidden: 403"):
        extracting.extract(small, f"{bucket}/out")
    place = open_place(f"{bucket}/out/{name_in(tmp_path / 'whole')}")
    assert place.find("dataset.json") is None
    assert len(place.names("manifests/")) < 2
    assert contents(extracting.extract(small, f"{bucket}/out")) == whole


def test_a_record_that_was_cut_short_is_an_error_and_no_empty_one(small, tmp_path):
    whole = Path(extracting.extract(small, str(tmp_path / "out")))
    (whole / "dataset.json").unlink()
    record = whole / "manifests/part-000000.json"
    record.write_bytes(record.read_bytes()[:100])
    with pytest.raises(PlaceError, match=r"part-000000\.json: this is no JSON"):
        extracting.extract(small, str(tmp_path / "out"))


def test_nothing_is_pickled(small, tmp_path):
    names = contents(extracting.extract(small, str(tmp_path / "out")))
    assert {Path(name).suffix for name in names} == {".json", ".safetensors"}


def test_what_a_killed_process_has_left_on_the_disk_is_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    holder = Holder(job="a-job", worker="0", attempt=2)
    (tmp_path / "tpuherd-activations-a-job-0").mkdir()
    (tmp_path / "tpuherd-activations-a-job-0/shard").touch()
    with scratch_of(holder) as folder:
        assert not list(folder.iterdir())
        (folder / "shard").touch()
    assert not list(tmp_path.iterdir())
