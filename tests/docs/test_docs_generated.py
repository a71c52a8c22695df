"""What is generated from the code is up to date, and a change would be noticed."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys

import pytest
from doc_pages import ROOT, blocks_of, pages

from tpuherd import ExitCode
from tpuherd.tasks.namespace import namespace

GENERATE = ROOT / "docs" / "generate"
SHOWN_FILE = re.compile(r"^<!-- file: (\S+) -->$", re.MULTILINE)
VARIABLE = re.compile(r"TPUHERD_[A-Z_]+")


def check(program):
    return subprocess.run([sys.executable, str(program), "--check"], capture_output=True, text=True)


def test_everything_generated_is_up_to_date():
    done = check(GENERATE)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def copy(tmp_path):
    """The documentation and what it shows, to be damaged."""
    for folder in ("docs", "examples"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "README.md", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "docs/reference/commands.md",
        "docs/reference/environment-variables.md",
        "docs/reference/exit-codes.md",
        "docs/reference/job-file.md",
        "docs/reference/results.md",
    ],
)
def test_a_page_that_was_changed_by_hand_is_out_of_date(copy, name):
    page = copy / name
    page.write_text(page.read_text().replace("worker", "wrker"))

    done = check(copy / "docs" / "generate")

    assert done.returncode == 1
    assert done.stderr == f"out of date: {name}; run `scripts/docs`\n"

    subprocess.run([sys.executable, str(copy / "docs" / "generate")], check=True, capture_output=True)
    if name != "README.md":  # its prose is written by hand
        assert page.read_text() == (ROOT / name).read_text()


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_a_block_that_shows_a_file_equals_it(page):
    shown = SHOWN_FILE.findall(page.read_text())
    for path in shown:
        assert (ROOT / path).read_text() in [block.text for block in blocks_of(page)], path


def test_the_readme_shows_the_whole_hello_plugin():
    path = "examples/plugins/tpuherd-hello/src/tpuherd_hello/__init__.py"
    assert path in SHOWN_FILE.findall((ROOT / "README.md").read_text())


def test_every_exit_code_and_every_command_is_documented():
    codes = (ROOT / "docs/reference/exit-codes.md").read_text()
    for code in ExitCode:
        assert f"| {int(code)} | `{code.name}` | " in codes
    commands = (ROOT / "docs/reference/commands.md").read_text()
    for name in namespace.task_names:
        assert f"\n## {name}\n" in commands


def test_the_variables_in_the_code_are_those_in_the_documentation():
    sources = [*(ROOT / "core").rglob("*.py"), *(ROOT / "plugins").rglob("*.py")]
    used = {name for source in sources if "testing" not in source.parts for name in variables_in(source)}
    documented = set(VARIABLE.findall((ROOT / "docs/reference/environment-variables.md").read_text()))
    assert documented == used


def variables_in(source):
    """Names of our variables that stand alone in a string: not those that a text only mentions."""
    constants = (
        node.value for node in ast.walk(ast.parse(source.read_text())) if isinstance(node, ast.Constant)
    )
    return {text for text in constants if isinstance(text, str) and VARIABLE.fullmatch(text)}
