"""Every scenario in the documentation is one, and the test that it shows passes."""

from __future__ import annotations

import pytest
from doc_pages import ROOT, Block, blocks

from tpuherd_emulator.scenarios.load import load

SCENARIOS = blocks("yaml scenario")


@pytest.mark.parametrize("block", SCENARIOS, ids=str)
def test_a_scenario_is_accepted(tmp_path, block: Block):
    path = tmp_path / "scenario.yaml"
    path.write_text(block.text)
    assert load(path).model_fields_set


def test_there_are_scenarios():
    assert len(SCENARIOS) >= 2


@pytest.mark.slow
def test_the_documented_test_of_failures_passes(tpuherd_cloud, tpuherd_run, monkeypatch):
    (block,) = [block for block in blocks("python") if "def test_no_capacity_is_told" in block.text]
    documented = {}
    exec(compile(block.text, str(block), "exec"), documented)
    monkeypatch.chdir(ROOT)

    documented["test_no_capacity_is_told"](tpuherd_cloud, tpuherd_run)
