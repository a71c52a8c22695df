"""The whole way of a worker with a real model and a real tokenizer, and tables that only pyarrow reads."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from tpuherd_activations_worker.claims import Holder
from tpuherd_activations_worker.input.files import streams_in
from tpuherd_activations_worker.input.plan import cut
from tpuherd_activations_worker.input.source import source_of
from tpuherd_activations_worker.output import layout, manifest
from tpuherd_activations_worker.places import open_place
from tpuherd_activations_worker.tensors import as_float32, tensor
from tpuherd_activations_worker.work.decoding import decoder_of
from tpuherd_activations_worker.work.running import Worker, run
from tpuherd_activations_worker.work.settings import Settings

MAKE_INPUT = Path(__file__).parents[2] / "examples" / "activations" / "make_input.py"
HOOKS = ("blocks.-1.hook_resid_post", "blocks.1.attn.hook_z", "blocks.0.mlp.hook_post")


@pytest.fixture(params=["float32", pytest.param("bfloat16", marks=pytest.mark.slow)])
def extracted(request, tmp_path):
    subprocess.run([sys.executable, MAKE_INPUT, tmp_path], check=True)
    settings = Settings(
        model=str(tmp_path / "model"),
        hooks=HOOKS,
        input=str(tmp_path / "documents"),
        output=str(tmp_path / "out"),
        max_length=200,
        special_tokens="drop",
        dtype=request.param,
        rows_per_shard=3000,
        batch_tokens=2048,
    )
    decoder = decoder_of(settings, tmp_path)
    worker = Worker(holder=Holder(job="", worker="w0", attempt=1), scratch=tmp_path)
    address = run(
        decoder.content,
        settings.input,
        settings.output,
        worker,
        decoder.encoder,
        decoder,
        *[lambda *_: None] * 2,
    )
    lines = (tmp_path / "documents/documents.jsonl").read_text().splitlines()
    texts = [json.loads(line)["text"] for line in lines]
    return SimpleNamespace(address=Path(address), decoder=decoder, dtype=request.param, texts=texts)


def test_every_document_has_what_the_model_gives_it_alone(extracted):
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(str(extracted.address.parents[1] / "model"))
    about = json.loads((extracted.address / layout.DATASET).read_text())
    shards = [manifest.from_values(value, "") for value in about["shards"]]
    rows = stored(extracted, shards, layout.ROWS, layout.DOCUMENT_IDS)
    found = {
        name: stored(extracted, shards, name, layout.ACTIVATIONS) for name in extracted.decoder.taps.names
    }
    tokens = stored(extracted, shards, layout.ROWS, layout.TOKEN_IDS)
    for document in range(0, 200, 23):
        ids = np.asarray(tokenizer.encode(extracted.texts[document])[:200], np.int32)[None]
        alone = extracted.decoder(ids, np.ones_like(ids))
        here = rows == document
        assert np.array_equal(tokens[here], ids[0, 1:]), "all but the token that begins a document"
        for name, values in alone.items():
            wanted = np.asarray(values, np.float32)[0, 1:]
            limit = 1e-4 if extracted.dtype == "float32" else 0.05 * np.abs(wanted).max()
            assert np.abs(found[name][here] - wanted).max() < limit, name


def stored(extracted, shards, what, name):
    """A tensor of all shards, one after another."""
    files = [tensor(extracted.address / shard.files[what].name, name) for shard in shards]
    if what == layout.ROWS:
        return np.concatenate([numbers for numbers, _ in files])
    return np.concatenate([as_float32(numbers, kind) for numbers, kind in files])


RECORDS = [{"text": f"document {index}"} for index in range(25)]


def parquet(folder):
    import pyarrow as pa
    from pyarrow import parquet as tables

    folder.mkdir()
    tables.write_table(pa.Table.from_pylist(RECORDS), folder / "a.parquet", row_group_size=7)


def saved(folder):
    import datasets

    datasets.Dataset.from_list(RECORDS).save_to_disk(str(folder))


@pytest.mark.parametrize("write", [parquet, saved])
def test_tables_are_read_from_any_row_on(write, tmp_path):
    write(tmp_path / "in")
    place = open_place(str(tmp_path / "in"))
    parts = cut(place, streams_in(place), 60, tmp_path / "cache").parts
    assert len(parts) > 1
    found = []
    for part in parts:
        source = source_of(part.stream, tmp_path / "cache")
        found += source.records(place, part.stream, part.offset, part.documents)
    assert found == RECORDS
