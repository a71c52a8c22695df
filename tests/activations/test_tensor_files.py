"""Safetensors files that are written by rows."""

from __future__ import annotations

import numpy as np

from tpuherd_activations.worker.places import checksums
from tpuherd_activations.worker.places.checksums import identity_of
from tpuherd_activations.worker.tensors import TensorFile, tensor, writing


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


def test_checksums_of_pieces_are_those_of_the_whole(numbers):
    data = numbers(1000).view(np.uint8)
    cuts = [0, 0, 1, 2, 65, 66, 1500, 4000]
    pieces = [checksums.identity_of_numbers(part) for part in np.split(data, cuts)]
    assert checksums.joined(pieces) == checksums.identity_of_numbers(data)
    assert checksums.joined([]).size_bytes == 0
