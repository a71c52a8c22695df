from __future__ import annotations

import pytest

from tpuherd_activations.worker.architecture import read
from tpuherd_activations.worker.errors import MeshError
from tpuherd_activations.worker.model.setting import shape

GIB = 2**30


@pytest.fixture
def llama(config_in):
    return read(config_in(num_key_value_heads=4))


@pytest.mark.parametrize(
    ("weights_gib", "expected"),
    [
        (1, "data=8,fsdp=1,tensor=1"),  # a copy for everybody
        (14, "data=4,fsdp=1,tensor=2"),
        (30, "data=2,fsdp=1,tensor=4"),
        (70, "data=1,fsdp=2,tensor=4"),  # no more key heads to divide
        (900, "data=1,fsdp=2,tensor=4"),
    ],
)
def test_auto_takes_as_many_copies_as_fit(llama, weights_gib, expected):
    assert str(shape("auto", llama, 8, weights_gib * GIB, 16 * GIB)) == expected


def test_auto_without_a_known_memory_copies(llama):
    assert str(shape("auto", llama, 6, 10 * GIB, None)) == "data=6,fsdp=1,tensor=1"


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("tensor=2", "data=4,fsdp=1,tensor=2"),
        ("fsdp=2, tensor=4", "data=1,fsdp=2,tensor=4"),
        ("data=8", "data=8,fsdp=1,tensor=1"),
    ],
)
def test_sizes_by_name(llama, setting, expected):
    assert str(shape(setting, llama, 8, GIB, None)) == expected


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("model=2", "'model=2': expected auto, or sizes"),
        ("tensor=x", "expected auto, or sizes"),
        ("data=2", "these are 2 devices, there are 8"),
        ("tensor=8", r"tensor=8 does not divide the model's key heads \(4\)"),
        ("data=1,fsdp=3", "these are 3 devices, there are 8"),
    ],
)
def test_wrong_settings(llama, setting, words):
    with pytest.raises(MeshError, match=words):
        shape(setting, llama, 8, GIB, None)
