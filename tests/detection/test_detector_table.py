"""Every row of the detector table matches real lines, and not those that only look like them."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tpuherd import ConfigError, FailureClass, PluginError
from tpuherd.hooks import GlobalHooks
from tpuherd.manager import make_plugin_manager
from tpuherd.observing.table import check_ids, parse_table

ROWS = {row.id: row for _, row in GlobalHooks(make_plugin_manager()).detectors()}
SAMPLES = tomllib.loads(Path(__file__).with_name("samples.toml").read_text())
ROW = 'id = "a"\nwhere = "log"\npattern = "x"\nclass = "hung"\n'


def test_every_row_has_samples_and_no_sample_is_left_over():
    assert sorted(SAMPLES) == sorted(ROWS)
    assert all(sample["yes"] and sample["no"] for sample in SAMPLES.values())


@pytest.mark.parametrize("name", SAMPLES)
def test_a_row_matches_what_it_is_for(name):
    expression = ROWS[name].expression
    assert [text for text in SAMPLES[name]["yes"] if not expression.search(text)] == []
    assert [text for text in SAMPLES[name]["no"] if expression.search(text)] == []


def test_the_shipped_rows_are_many_unique_and_say_how_they_are_known():
    check_ids(ROWS.values())
    assert len(ROWS) == len(GlobalHooks(make_plugin_manager()).detectors()) >= 51
    assert all(row.source for row in ROWS.values())
    assert {row.failure for row in ROWS.values()} == set(FailureClass)


def test_a_table_is_read():
    (row,) = parse_table(f"[[detector]]\n{ROW}symptom = true\nconfidence = 0.3", "t")
    assert (row.failure, row.symptom, row.confidence) == (FailureClass.HUNG, True, 0.3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[detector]]\n" + ROW.replace('"hung"', '"bored"'), "row 1 .*bored"),
        ("[[detector]]\n" + ROW.replace('"x"', '"("'), r"row 1 \(a\).*unterminated|row 1 \(a\).*missing"),
        ("[[detector]]\n" + ROW + "patern = 1", "row 1: patern: unknown or missing"),
        ("[[detector]]\n" + ROW.replace('id = "a"\n', ""), "row 1: id"),
        (f"[[detector]]\n{ROW}[[detector]]\n{ROW}", "two detectors 'a'"),
        ("[[detector", "t: "),
    ],
)
def test_a_wrong_table_is_refused_by_row_and_key(text, message):
    with pytest.raises(PluginError, match=message):
        parse_table(text, "t")


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"patterns": [{"id": "a", "pattern": "(", "failure": "hung"}]}, "regular expression"),
        ({"patterns": [{"id": "a", "pattern": "x", "failure": "bored"}]}, "detection.patterns"),
        ({"step_pattern": "step"}, "exactly one group"),
        ({"hung_after_s": 0}, "detection.hung_after_s"),
    ],
)
def test_a_wrong_section_is_refused_by_key(job_factory, section, message):
    with pytest.raises(ConfigError, match=message):
        job_factory({"detection": section})


@pytest.fixture
def job_factory(tmp_path):
    from tpuherd.testing import JobFactory

    return JobFactory(make_plugin_manager(), tmp_path)
