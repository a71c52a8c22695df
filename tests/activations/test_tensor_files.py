"""Safetensors files that are written by rows."""

from __future__ import annotations

import numpy as np

from tpuherd_activations.worker.tensors import TensorFile, tensor


def test_rows_come_back_whatever_their_order(tmp_path, numbers):
    rows = numbers(10, 3, 2)
    file = TensorFile(tmp_path / "a", {"x": ("F32", (10, 3, 2))}, {})
    file.write({4: rows[4:], 0: rows[:1]}, "x")
    file.write({1: rows[1:4]}, "x")
    assert [len(block) for block in file.read("x", 3 * rows[0].nbytes)] == [3, 3, 3, 1]
    assert np.array_equal(np.concatenate(list(file.read("x", 1))), rows)
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
    assert list(file.read("x", 100)) == []
    file.close()
    assert tensor(tmp_path / "a", "x")[0].shape == (0, 4)
