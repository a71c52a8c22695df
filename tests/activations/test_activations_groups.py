"""Which workers hold one copy of the model."""

from __future__ import annotations

import json
import os

import pytest

from tpuherd_activations.worker.work import settings as settings_file
from tpuherd_activations.worker.work.groups import ALONE, Group, group_of, join
from tpuherd_activations.worker.work.settings import Settings

SLICES = (("10.0.0.1:8476", 2), ("10.0.1.1:8477", 2))


@pytest.fixture
def settings(config_in):
    """Of a tiny model; in bfloat16, the embedding table and two blocks are about 116 kB."""
    model = str(config_in())

    def make(**changes):
        given = {"model": model, "hooks": ("blocks.1.hook_resid_post",), "input": "/in", "output": "/out"}
        return Settings(**given | {"slices": SLICES} | changes)

    return make


def test_each_worker_its_own(settings, tmp_path):
    assert group_of(settings(span="worker"), 3, 4, tmp_path) == Group(index=3, groups=4)


@pytest.mark.parametrize(("worker", "index", "member"), [(0, 0, 0), (1, 0, 1), (2, 1, 0), (3, 1, 1)])
def test_the_workers_of_a_slice_together(settings, tmp_path, worker, index, member):
    found = group_of(settings(span="slice"), worker, 4, tmp_path)
    assert found == Group(index=index, groups=2, member=member, members=2, coordinator=SLICES[index][0])


@pytest.mark.parametrize(
    ("memory_bytes", "dtype", "groups"),
    [
        (0, "bfloat16", 4),  # not known
        (1_000_000, "bfloat16", 4),
        (150_000, "bfloat16", 2),
        (300_000, "bfloat16", 4),
        (300_000, "float32", 2),
    ],
)
def test_auto_takes_the_slice_if_a_worker_is_too_small(settings, tmp_path, memory_bytes, dtype, groups):
    given = settings(span="auto", worker_memory_bytes=memory_bytes, dtype=dtype)
    assert group_of(given, 0, 4, tmp_path).groups == groups


def test_what_deeper_blocks_take_does_not_count(settings, tmp_path):
    given = settings(span="auto", worker_memory_bytes=150_000, hooks=("hook_embed",))
    assert group_of(given, 0, 4, tmp_path).groups == 4


@pytest.mark.parametrize(("devices", "wanted"), [("tpu", ALONE), ("cpu", {})])
def test_workers_that_are_alone_do_not_wait_for_their_slice(settings, monkeypatch, devices, wanted):
    for name in ALONE:
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    join(Group(index=0, groups=4), settings(devices=devices))
    assert {name: os.environ[name] for name in ALONE if name in os.environ} == wanted


def test_settings_are_read_as_they_were_written(settings, tmp_path):
    file = tmp_path / "settings.json"
    given = settings(span="slice")
    file.write_text(given.to_json())
    assert settings_file.read(file) == given
    assert json.loads(file.read_text())["slices"][0] == ["10.0.0.1:8476", 2]
