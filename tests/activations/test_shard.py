"""A shard while its batches come."""

from __future__ import annotations

import numpy as np
import pytest

from tpuherd_activations.worker.input.encoding import Encoded
from tpuherd_activations.worker.input.packing import Shapes, pack
from tpuherd_activations.worker.input.plan import Part
from tpuherd_activations.worker.output import layout
from tpuherd_activations.worker.output.hooks import Hook
from tpuherd_activations.worker.output.shard import Shard
from tpuherd_activations.worker.output.statistics import Sums, figures
from tpuherd_activations.worker.places.checksums import identity_of
from tpuherd_activations.worker.tensors import as_float32, as_kind, tensor

PART = Part(index=0, stream="a", offset=0, documents=3, first_document=0, step=1, size_bytes=0)
HOOKS = [Hook(name=name, shape=(4,), kind="F32") for name in ("a", "b")]
SHAPES = Shapes(max_length=128, batch_tokens=256, row_multiple=1)


def document(record: int, *kept: bool) -> Encoded:
    ids = np.arange(len(kept), dtype=np.int32)
    return Encoded(ids=ids, kept=np.asarray(kept), truncated=0, record=record, prompt=0)


def made(folder, documents):
    """A finished shard's files by what they are for, and the rows that it should hold."""
    folder.mkdir()
    shard = Shard(PART, documents, HOOKS, folder)
    rows = {}
    for batch in pack([one.ids for one in documents], SHAPES):
        values = np.random.default_rng(1).standard_normal((*batch.tokens.shape, 4), np.float32)
        shard.put(batch, {"a": values, "b": -values})
        for placed in batch.placed:
            kept = documents[placed.document].kept
            rows[placed.document] = values[placed.row, placed.start : placed.start + len(kept)][kept]
    return shard.finish(), np.concatenate([rows[index] for index in sorted(rows)])


@pytest.mark.parametrize("dropped", [1, 3])
def test_documents_of_which_nothing_is_kept(tmp_path, dropped):
    documents = [document(0, *[True] * 100), document(1, *[False] * dropped), document(2, False, True)]
    found, rows = made(tmp_path / "shard", documents)
    files = {file.what: file for file in found}
    assert np.array_equal(tensor(files["a"].path, layout.ACTIVATIONS)[0], rows)
    assert tensor(files[layout.ROWS].path, layout.DOCUMENT_IDS)[0].tolist() == [0] * 100 + [2]
    only, none = made(tmp_path / "nothing", [document(0, *[False] * dropped)])
    assert len(none) == 0
    assert all(file.identity == identity_of(file.path) for file in only)


def test_sums_and_checksums_are_those_of_the_rows(tmp_path):
    found, rows = made(tmp_path / "shard", [document(at, *[at % 3 < 2] * (at + 1)) for at in range(40)])
    files = {file.what: file for file in found}
    assert set(files) == {"a", "b", layout.ROWS, layout.SUMS}
    assert all(file.identity == identity_of(file.path) for file in found)
    exact = rows.astype(np.float64)
    sums = {name: tensor(files[layout.SUMS].path, f"b.{name}")[0] for name in ("total", "squares", "norm")}
    off = np.abs(sums["total"] + exact.sum(axis=0))
    assert (off < 2e-7 * np.abs(exact).sum(axis=0)).all()
    np.testing.assert_allclose(sums["squares"], (exact**2).sum(axis=0), rtol=2e-7)
    np.testing.assert_allclose(sums["norm"], np.linalg.norm(exact, axis=1).sum(), rtol=2e-7)


@pytest.mark.parametrize(("kind", "off"), [("BF16", 1e-6), ("F32", 5e-3)])
def test_a_small_spread_around_a_large_mean_is_seen(kind, off):
    """As of the few channels with huge numbers that large models have."""
    spread = np.random.default_rng(1).standard_normal((40_000, 2, 8), np.float32)
    given = as_kind(spread + np.float32(100 if kind == "BF16" else 1000), kind)
    sums, exact = Sums(Hook(name="a", shape=(2, 8), kind=kind)), as_float32(given, kind).astype(np.float64)
    for rows in np.split(given, [1, 16, 1003, 20_000]):
        sums.add(rows)
    found = figures(sums.total, sums.squares, sums.norm, len(given))
    np.testing.assert_allclose(found["mean"], exact.mean(axis=0), rtol=1e-6)
    np.testing.assert_allclose(found["std"], exact.std(axis=0), rtol=off)
