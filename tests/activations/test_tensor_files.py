"""Safetensors files that are written by rows."""

from __future__ import annotations

import numpy as np
import pytest

from tpuherd_activations.worker.errors import PlaceError
from tpuherd_activations.worker.places import checksums
from tpuherd_activations.worker.places.checksums import identity_of
from tpuherd_activations.worker.tensors import TensorFile, tensor, tensors, writing


def test_rows_come_back_whatever_their_order(tmp_path, numbers):
    rows = numbers(10, 3, 2)
    file = TensorFile(tmp_path / "a", {"x": ("F32", (10, 3, 2))}, {})
    file.write({4: rows[4:], 0: rows[:1]}, "x")
    file.write({1: rows[1:4]}, "x")
    file.close()
    assert np.array_equal(tensor(tmp_path / "a", "x")[0], rows)


def test_a_file_that_was_swept_away_is_written_without_an_error(tmp_path, numbers):
    file = TensorFile(tmp_path / "a", {"x": ("F32", (2, 2))}, {})
    file.path.unlink()
    file.write({0: numbers(2, 2)}, "x")
    file.close()
    assert not list(tmp_path.iterdir())


def test_no_rows(tmp_path):
    file = TensorFile(tmp_path / "a", {"x": ("BF16", (0, 4))}, {})
    file.close()
    assert tensor(tmp_path / "a", "x")[0].shape == (0, 4)


def test_the_checksum_is_known_without_reading_the_file(tmp_path, numbers, monkeypatch):
    rows = numbers(300, 5)
    file = TensorFile(tmp_path / "a", {"x": ("F32", (300, 5))}, {"hook": "h"})
    file.write({17: rows[17:], 0: rows[:1]}, "x")
    file.write({1: rows[1:17]}, "x")
    file.close()
    monkeypatch.setattr(writing, "identity_of", None)
    assert file.identity() == identity_of(tmp_path / "a")


def test_rows_that_were_never_written_are_zeros_and_the_file_is_read_for_its_checksum(tmp_path, numbers):
    file = TensorFile(tmp_path / "a", {"x": ("F32", (9, 2))}, {})
    file.write({4: numbers(3, 2)}, "x")
    file.close()
    assert file.identity() == identity_of(tmp_path / "a")


def test_small_tensors_are_written_at_the_end(tmp_path, numbers, monkeypatch):
    shapes = {"none": ("I64", (0,)), "x": ("F32", (3, 2)), "y": ("F64", (2,))}
    file, values = TensorFile(tmp_path / "a", shapes, {}), numbers(3, 2)
    file.tensors["x"][1:] = values[1:]
    file.tensors["y"][...] = 7
    file.close()
    found = tensors(tmp_path / "a")
    assert {name: array.tolist() for name, array in found.items()} == {
        "none": [],
        "x": [[0, 0], *values[1:].tolist()],
        "y": [7, 7],
    }
    assert all(np.array_equal(tensor(tmp_path / "a", name)[0], array) for name, array in found.items())
    monkeypatch.setattr(writing, "identity_of", None)
    assert file.identity() == identity_of(tmp_path / "a")
    (tmp_path / "a").write_bytes((tmp_path / "a").read_bytes()[:-1])
    with pytest.raises(PlaceError, match=r"y: the file ends before it"):
        tensors(tmp_path / "a")


def test_checksums_of_pieces_are_those_of_the_whole(numbers):
    data = numbers(1000).view(np.uint8)
    cuts = [0, 0, 1, 2, 65, 66, 1500, 4000]
    pieces = [checksums.identity_of_numbers(part) for part in np.split(data, cuts)]
    assert checksums.joined(pieces) == checksums.identity_of_numbers(data)
    assert checksums.joined([]).size_bytes == 0
