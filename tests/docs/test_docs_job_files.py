"""Every whole job file in the documentation and the examples is one: it loads, and can be planned."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from doc_pages import ROOT, Block, blocks

from tpuherd import ConfigError
from tpuherd.config.load import load_text
from tpuherd.hooks import GlobalHooks, Hooks
from tpuherd.providers import check_choices
from tpuherd.tasks.opening import read

WHOLE = blocks("yaml")
PARTIAL = blocks("yaml partial")


MADE = "/tmp/tpuherd-activations"


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> str:
    """What that script makes, elsewhere."""
    folder = tmp_path_factory.mktemp("made")
    script = ROOT / "examples" / "activations" / "make_input.py"
    subprocess.run([sys.executable, script, folder], check=True, capture_output=True)
    return str(folder)


def planned(manager, text, name):
    spec = load_text(text, Path(name), GlobalHooks(manager).config_sections()).spec
    check_choices(manager, spec, name)
    return Hooks(manager, spec).plan(ROOT / "examples")  # the files that the pages speak of are there


@pytest.mark.parametrize("block", WHOLE, ids=str)
def test_a_whole_job_file_is_accepted(manager, made, block: Block):
    steps = planned(manager, block.text.replace(MADE, made), str(block))
    assert {"provision", "release"} <= {step.stage for step in steps}


@pytest.mark.parametrize("block", PARTIAL, ids=str)
def test_a_part_of_a_job_file_is_accepted_with_the_rest(manager, block: Block):
    rest = "tpu: {accelerator: v5litepod-16, zone: us-west4-a}\ncloud: emulator\n"
    spec = load_text(rest + block.text, Path(str(block)), GlobalHooks(manager).config_sections()).spec
    assert spec.tpu.shape.workers == 4


@pytest.mark.parametrize("block", PARTIAL, ids=str)
def test_what_is_called_partial_is_no_whole_job_file(manager, block: Block):
    with pytest.raises(ConfigError, match="is required"):
        planned(manager, block.text, str(block))


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.yaml")), ids=lambda path: path.name)
def test_the_examples_and_the_files_they_name_are_there(path):
    assert read(path, []).spec.pending() == ()


def test_there_is_something_to_check():
    assert len(WHOLE) >= 8
    assert len(PARTIAL) >= 3
