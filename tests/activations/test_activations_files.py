"""Which files of a folder are read, what is said of the others, and how much text they hold."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path

import extracting
import pytest

from tpuherd_activations.measuring.text import text_bytes
from tpuherd_activations.worker.errors import InputError
from tpuherd_activations.worker.input.files import left_out, streams_in, told_left_out
from tpuherd_activations.worker.input.plan import cut
from tpuherd_activations.worker.input.source import source_of
from tpuherd_activations.worker.places import open_place

PARQUET = base64.b64decode("""
UEFSMRUAFRwVLiwVBBUAFQYVBhwAAAAotS/9IA5xAAACAAAABAEBAAAAAgAAABUAFeQzFVIsFQQVABUGFQYcAAAAKLUv/WDyC/0A
AKACAAAABAHcBQAAYWIgCAcAAGNkIAIAAoPfsM7ffQEVABUUFSYsFQIVABUGFQYcAAAAKLUv/SAKUQAAAgAAAAIBAwAAABUAFfwg
FTwsFQIVABUGFQYcAAAAKLUv/WA+B6UAAGgCAAAAAgE0CAAAZWYgAQAu0HdfFQQZPDUAGAZzY2hlbWEVBAAVAiUCGAJpZCUeTKwT
CBEAAAAVDCUCGAR0ZXh0JQBMHAAAABYGGSwZLCYAHBUCGSUGABkYAmlkFQwWBBZCFlQmCEkcFQAVABUCADwpBhkmAAQAAAAmABwV
DBklBgAZGAR0ZXh0FQwWBBaMNBZ6JlxJHBUAFQAVAgA8FsgzGQYZJgAEAAAAFs40FgQmCBbOAQAZLCYAHBUCGSUGABkYAmlkFQwW
AhY6Fkwm1gFJHBUAFQAVAgA8KQYZJgACAAAAJgAcFQwZJQYAGRgEdGV4dBUMFgIWpCEWZCaiAkkcFQAVABUCADwW6CAZBhkmAAIA
AAAW3iEWAibWARawAQAoIHBhcnF1ZXQtY3BwLWFycm93IHZlcnNpb24gMjYuMC4xGSwcAAAcAAAAOAEAAFBBUjE=
""")
"""Two groups of rows, zstd; pyarrow says: columns `id` of 33 + 29 and `text` of 3334 + 2130 bytes."""


@pytest.fixture
def folder(tmp_path):
    extracting.write(tmp_path / "in/a.jsonl", extracting.documents(12))
    return tmp_path / "in"


def pack(file, parts=1):
    """With gzip, as several files of it one after another if asked for."""
    text = file.read_bytes()
    step = -(-len(text) // parts)
    packed = b"".join(gzip.compress(text[at : at + step]) for at in range(0, len(text), step))
    file.with_name(f"{file.name}.gz").write_bytes(packed)
    file.unlink()


@pytest.mark.parametrize("where", ["folder", "bucket"])
def test_packed_documents_make_the_same_shards(folder, tmp_path, bucket, where):
    plain = Path(extracting.extract(str(folder), str(tmp_path / "plain")))
    pack(folder / "a.jsonl", parts=3)
    source = f"{bucket}/in" if where == "bucket" else str(folder)
    if where == "bucket":
        open_place(source).create("a.jsonl.gz", (folder / "a.jsonl.gz").read_bytes())
    packed = Path(extracting.extract(source, str(tmp_path / "packed")))
    shards = {path.relative_to(plain): path.read_bytes() for path in plain.rglob("part-*/*")}
    assert len({path.parent for path in shards}) > 2
    assert {path.relative_to(packed): path.read_bytes() for path in packed.rglob("part-*/*")} == shards
    assert [file.name for file in folder.iterdir()] == ["a.jsonl.gz"], "nothing is unpacked beside it"


def test_a_packed_text_is_one_document(folder, tmp_path):
    (folder / "b.txt").write_text("eins")
    pack(folder / "b.txt")
    place = open_place(str(folder))
    *_, part = cut(place, streams_in(place), 400, tmp_path / "cache").parts
    (found,) = source_of(part.stream, tmp_path / "cache").records(place, part.stream, 0, 1)
    assert (part.stream, found) == ("b.txt.gz", {"text": "eins"})


def test_errors_name_the_packed_file_and_the_line_in_it(folder, tmp_path):
    file = folder / "a.jsonl"
    file.write_text(f"{file.read_text()}[1]\n")
    pack(file)
    with pytest.raises(InputError, match=rf"{folder}/a.jsonl.gz: line 13: expected an object"):
        extracting.extract(str(folder), str(tmp_path / "out"))


@pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda data: b"{}\n" + data])
def test_a_damaged_packed_file_is_named(folder, tmp_path, damage):
    pack(folder / "a.jsonl")
    file = folder / "a.jsonl.gz"
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(InputError, match=rf"{file}: cannot be unpacked here: "):
        extracting.extract(str(folder), str(tmp_path / "out"))
    assert not list((tmp_path / "out").rglob("*.safetensors"))


@pytest.mark.parametrize(
    "name", ["b.jsonl.zst", "b.txt.bz2", "below/b.parquet.gz", "b.jsonl.xz", "all.tar.gz"]
)
def test_what_is_packed_in_another_way_is_refused_by_name(folder, name):
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_bytes(b"?")
    with pytest.raises(InputError, match=rf"{folder}/{re.escape(name)}: .* are not read: unpack it, or pack"):
        streams_in(open_place(str(folder)))


def test_what_is_not_read_is_named(folder):
    beside = ("streams.json", "dataset_info.json", "state.json", "_SUCCESS", ".hidden", ".git/x", "_log/y")
    for name in ("README.md", "data.csv", "records.json", *beside):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("")
    place = open_place(str(folder))
    assert streams_in(place) == ["a.jsonl"]
    assert left_out(place) == ["README.md", "data.csv", "records.json"]
    assert told_left_out(left_out(place)) == "not read: README.md, data.csv, records.json"
    assert told_left_out([f"{number}.csv" for number in range(9)]).endswith("3.csv, 4.csv and 4 more")
    assert told_left_out([]) == ""


def test_parquet_says_how_much_is_in_it(tmp_path, bucket):
    (tmp_path / "a.parquet").write_bytes(PARQUET)
    here, there = open_place(str(tmp_path)), open_place(f"{bucket}/in")
    there.create("a.parquet", PARQUET)
    for place in (here, there):
        assert text_bytes(place, ["a.parquet"], "text") == 3334 + 2130
        assert text_bytes(place, ["a.parquet"], None) == 3334 + 2130 + 33 + 29
        assert text_bytes(place, ["a.parquet"], "no such column") == 3334 + 2130 + 33 + 29


@pytest.mark.parametrize("damaged", [b"", b"PAR1", PARQUET[:-1], PARQUET[:-9] + b"\x00\x00\x00\x7fPAR1"])
def test_what_is_no_parquet_is_refused_by_name(tmp_path, damaged):
    (tmp_path / "a.parquet").write_bytes(damaged)
    with pytest.raises(InputError, match=rf"{tmp_path}/a.parquet: this is no Parquet file"):
        text_bytes(open_place(str(tmp_path)), ["a.parquet"], None)


def test_packed_text_is_judged_by_its_beginning(tmp_path):
    text = "".join(json.dumps({"text": f"document {index} " * 9}) + "\n" for index in range(30_000))
    for name, parts in (("a.jsonl", 1), ("b.jsonl", 5)):
        (tmp_path / name).write_text(text)
        pack(tmp_path / name, parts)
    place = open_place(str(tmp_path))
    assert text_bytes(place, ["a.jsonl.gz"], None) == pytest.approx(len(text), rel=0.05)
    assert text_bytes(place, ["b.jsonl.gz"], None) == pytest.approx(len(text), rel=0.05)
    (tmp_path / "c.txt.gz").write_bytes(b"no gzip")
    with pytest.raises(InputError, match=r"c\.txt\.gz: cannot be unpacked"):
        text_bytes(place, ["c.txt.gz"], None)


def test_of_many_files_some_are_looked_at(tmp_path):
    for index in range(40):
        (tmp_path / f"{index:02}.parquet").write_bytes(PARQUET if index % 3 == 0 else b"?" * len(PARQUET))
    place = open_place(str(tmp_path))
    assert text_bytes(place, streams_in(place), "text") == 40 * (3334 + 2130)
