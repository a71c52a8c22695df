"""Documents to parts, tokens and batches."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace

import extracting
import pytest

import tpuherd_activations
from tpuherd_activations.worker.errors import InputError, PlaceError
from tpuherd_activations.worker.input.encoding import Encoder
from tpuherd_activations.worker.input.files import streams_in
from tpuherd_activations.worker.input.forms import Field
from tpuherd_activations.worker.input.plan import cut, read
from tpuherd_activations.worker.input.source import source_of
from tpuherd_activations.worker.input.streams import create_streams, put_streams
from tpuherd_activations.worker.places import open_place


class Words:
    """A tokenizer of the kind that is used: a beginning, then a number per word."""

    all_special_ids = (1,)

    def encode(self, text):
        return [1, *(len(word) + 10 for word in text.split())]

    def apply_chat_template(self, messages, *, tokenize, return_dict):
        return self.encode(" ".join(f"{message['role']} {message['content']}" for message in messages))


def lines(path, records):
    extracting.write(path, records)
    return open_place(str(path.parent))


def plan_of(place, part_bytes, tmp_path):
    return cut(place, streams_in(place), part_bytes, tmp_path / "cache")


def test_parts_begin_where_a_document_does(tmp_path):
    records = [{"text": "ä" * size} for size in (5, 50, 1, 1, 80, 2)]
    place = lines(tmp_path / "in/a.jsonl", records)
    (tmp_path / "in/b.txt").write_text("one document")
    plan = plan_of(place, 60, tmp_path)
    assert read(plan.to_bytes()) == plan
    assert [part.first_document for part in plan.parts] == [0, 2, 5, 6]
    found = []
    for part in plan.parts:
        source = source_of(part.stream, tmp_path)
        found += source.records(place, part.stream, part.offset, part.documents)
    assert found == [*records, {"text": "one document"}]


def test_blank_lines_are_no_documents_and_a_last_line_needs_no_end(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.jsonl").write_text('\n{"text": "a"}\n  \n{"text": "b"}')
    place = open_place(str(tmp_path / "in"))
    (part,) = plan_of(place, 1000, tmp_path).parts
    assert list(source_of("a.jsonl", tmp_path).records(place, "a.jsonl", part.offset, 2)) == [
        {"text": "a"},
        {"text": "b"},
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "this is no JSON"),
        ("[1]", "expected an object such as"),
        ('{"id": [1]}', "there is no 'ids'; there are id"),
        ('{"ids": 3}', "ids: expected tokens, got int"),
        ('{"ids": [1, "a"]}', "expected a text, a list of messages or a list of token ids"),
        ('{"ids": [1, [2]]}', "expected a text, a list of messages or a list of token ids"),
        ('{"ids": [1.5]}', "expected a text, a list of messages or a list of token ids"),
        ('{"ids": [-1]}', "token -1 is out of range, the model has 0 to"),
        ('{"ids": [{"role": "user"}]}', "expected token ids, got list"),
    ],
)
def test_a_bad_document_is_named_by_file_and_line(tmp_path, content, message):
    file = tmp_path / "in/a.jsonl"
    extracting.write(file, extracting.documents(9))
    file.write_text(f"{file.read_text()}\n{content}\n")
    with pytest.raises(InputError, match=f"a.jsonl: line 11: {re.escape(message)}"):
        extracting.extract(str(file.parent), str(tmp_path / "out"))


def test_an_input_without_documents_is_refused(tmp_path):
    with pytest.raises(InputError, match="there are no files of documents"):
        streams_in(open_place(str(tmp_path)))
    (tmp_path / "a.jsonl").write_text("\n")
    with pytest.raises(InputError, match="its 1 files hold no documents"):
        plan_of(open_place(str(tmp_path)), 10, tmp_path)
    with pytest.raises(PlaceError, match="expected a folder or gs://"):
        open_place("s3://bucket")


def test_streams_keep_the_ids_of_the_documents(tmp_path):
    records = [{"text": f"document {index}"} for index in range(11)]
    target = open_place(str(tmp_path / "streams"))
    assert create_streams(iter(records), 3, target) == 11
    assert streams_in(target) == ["stream_000.jsonl", "stream_001.jsonl", "stream_002.jsonl"]
    ids = {}
    for part in plan_of(target, 30, tmp_path).parts:
        source = source_of(part.stream, tmp_path)
        for index, record in enumerate(source.records(target, part.stream, part.offset, part.documents)):
            ids[part.first_document + index * part.step] = record
    assert [ids[index] for index in range(11)] == records
    with pytest.raises(InputError, match="there are streams already"):
        create_streams(iter(records), 3, target)


def test_streams_of_which_some_are_missing_are_refused(tmp_path):
    target = open_place(str(tmp_path / "streams"))
    create_streams(({"text": str(number)} for number in range(9)), 3, target)
    target.delete("stream_001.jsonl")
    with pytest.raises(InputError, match=r"streams\.json tells of 3 streams, there are 2 files"):
        plan_of(target, 30, tmp_path)


@pytest.mark.parametrize("where", ["folder", "bucket"])
def test_streams_that_were_put_half_are_completed_and_others_are_refused(tmp_path, bucket, where):
    target = open_place(f"{bucket}/in" if where == "bucket" else str(tmp_path / "in"))
    records = [{"text": f"document {index}"} for index in range(11)]
    assert put_streams(iter(records), 3, target) == 11
    whole = {name: target.find(name) for name in target.names()}
    assert sorted(whole) == ["stream_000.jsonl", "stream_001.jsonl", "stream_002.jsonl", "streams.json"]
    for name in ("stream_001.jsonl", "streams.json"):  # as if whoever put them had been killed
        target.delete(name)
    for _ in range(2):
        assert put_streams(iter(records), 3, target) == 11
        assert {name: target.find(name) for name in target.names()} == whole
    with pytest.raises(PlaceError, match=r"stream_000\.jsonl"):
        put_streams(iter(records[1:]), 3, target)


def test_special_tokens_are_seen_and_dropped():
    record = {"text": "a bb ccc dddd eeeee"}
    (kept,) = Encoder(Words(), Field("text", "text"), 4, "keep")(record, 0)
    assert kept.ids.tolist() == [1, 11, 12, 13]
    assert kept.kept.all()
    assert kept.truncated == 2
    (dropped,) = Encoder(Words(), Field("text", "text"), 4, "drop")(record, 0)
    assert dropped.ids.tolist() == [1, 11, 12, 13]
    assert dropped.kept.tolist() == [False, True, True, True]


def test_conversations_go_through_the_template():
    encoder = Encoder(Words(), Field("messages", "chat"), 9, "keep")
    (found,) = encoder({"messages": [{"role": "user", "content": "hello you"}]}, 0)
    assert found.ids.tolist() == [1, 14, 15, 13]
    with pytest.raises(InputError, match="the chat template: KeyError: 'role'"):
        encoder({"messages": [{"content": "hello you"}]}, 0)


def test_a_dataset_of_other_settings_has_another_folder(tmp_path):
    extracting.write(tmp_path / "in/a.jsonl", extracting.documents(5))
    source, output = str(tmp_path / "in"), str(tmp_path / "out")
    first = extracting.extract(source, output)
    assert extracting.extract(source, output) == first
    assert extracting.extract(source, output, content=replace(extracting.CONTENT, max_length=20)) != first
    extracting.write(tmp_path / "in/b.jsonl", extracting.documents(4))
    assert extracting.extract(source, output) != first
    with pytest.raises(PlaceError, match="there are several datasets, name one"):
        tpuherd_activations.open(output)


def test_a_disk_that_is_too_small_is_refused_before_anything_is_computed(tmp_path, monkeypatch):
    extracting.write(tmp_path / "in/a.jsonl", extracting.documents(5))
    wide = tuple(replace(hook, shape=(10**12,)) for hook in extracting.HOOKS)
    with pytest.raises(PlaceError, match=r"GiB will be written, .* GiB are free; choose fewer hooks"):
        extracting.extract(
            str(tmp_path / "in"), str(tmp_path / "out"), content=replace(extracting.CONTENT, hooks=wide)
        )
    assert not list((tmp_path / "out").rglob("*.safetensors"))


def test_a_table_without_pyarrow_says_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    (tmp_path / "a.parquet").write_bytes(b"")
    with pytest.raises(InputError, match=r"a\.parquet: reading it needs pyarrow"):
        plan_of(open_place(str(tmp_path)), 60, tmp_path)


def test_plans_are_json(tmp_path):
    place = lines(tmp_path / "in/a.jsonl", extracting.documents(5))
    assert json.loads(plan_of(place, 100, tmp_path).to_bytes())["parts"][0]["stream"] == "a.jsonl"
