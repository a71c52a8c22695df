"""Which types and names a word means."""

from __future__ import annotations

import pytest

from tpuherd.errors import ConfigError
from tpuherd.fleet.patterns import fits_any, parse, parse_all

TYPES = (
    "v2-8",
    "v3-32",
    "v4-8",
    "v4-32",
    "v4-64",
    "v5litepod-8",
    "v5litepod-16",
    "v5p-8",
    "v6e-8",
    "tpu7x-8",
)


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("v4", "v4-8 v4-32 v4-64"),
        ("V4", "v4-8 v4-32 v4-64"),
        ("v4+", "v4-8 v4-32 v4-64 v5litepod-8 v5litepod-16 v5p-8 v6e-8 tpu7x-8"),
        ("v23", "v2-8 v3-32"),
        ("v234", "v2-8 v3-32 v4-8 v4-32 v4-64"),
        ("v5", "v5litepod-8 v5litepod-16 v5p-8"),
        ("v5e", "v5litepod-8 v5litepod-16"),
        ("v5litepod", "v5litepod-8 v5litepod-16"),
        ("v5p+", "v5p-8 v6e-8 tpu7x-8"),
        ("v6", "v6e-8"),
        ("v5e-8", "v5litepod-8"),
        ("v5litepod-8", "v5litepod-8"),
        ("v4-32", "v4-32"),
        ("v4-32+", "v4-32 v4-64"),
        ("v5e-8+", "v5litepod-8 v5litepod-16"),
        ("v*", " ".join(TYPES)),
        ("*", " ".join(TYPES)),
        ("v5*", "v5litepod-8 v5litepod-16 v5p-8"),
        ("tpu7x", "tpu7x-8"),
        ("v7", "tpu7x-8"),
        ("bob", ""),
    ],
)
def test_types(word, meant):
    assert [t for t in TYPES if parse(word).fits("ada", t)] == meant.split()


@pytest.mark.parametrize(
    ("word", "fits"),
    [("ada-*", True), ("ada-1", True), ("ada", False), ("*-1", True), ("ada-?", True), ("bob-*", False)],
)
def test_names(word, fits):
    assert parse(word).fits("ada-1", "v4-8") is fits


@pytest.mark.parametrize("word", ["v2-32-6", "v4-mine", "vega", "ada"])
def test_words_that_only_begin_like_a_type_are_names(word):
    assert parse(word).is_name
    assert parse(word).fits(word, "v4-8")


def test_one_of_several_is_enough_and_none_means_all():
    assert [t for t in TYPES if fits_any(parse_all(["v2", "v6e-8"]), "x", t)] == ["v2-8", "v6e-8"]
    assert all(fits_any((), "x", t) for t in TYPES)


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("v9", "valid: v2, v3, v4, v5e"),
        ("v5x", "did you mean 'v5p'?"),
        ("v4-33", "nearest: v4-32 and v4-64"),
        ("v5litpod-8", "did you mean 'v5litepod-8'?"),
        ("v5-8", "accelerator 'v5-8' does not exist"),
        ("v49", "is no TPU type"),
    ],
)
def test_types_that_do_not_exist_are_refused_with_the_nearest(word, says):
    with pytest.raises(ConfigError) as refused:
        parse(word)
    assert says in str(refused.value)


def test_types_that_this_version_does_not_know_fit_only_by_name():
    assert not parse("v4+").fits("new", "v12-8")
    assert parse("*").fits("new", "v12-8")
    assert parse("ne*").fits("new", "v12-8")
