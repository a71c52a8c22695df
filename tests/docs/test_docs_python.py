"""Every Python block compiles, and every plugin in one is a plugin."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import types

import pytest
from doc_pages import ROOT, Block, blocks

from tpuherd import hookspecs

PYTHON = blocks("python")
PLUGINS = [block for block in PYTHON if "@hookimpl" in block.text]


@pytest.mark.parametrize("block", PYTHON, ids=str)
def test_a_python_block_compiles(block: Block):
    compile(block.text, str(block), "exec")


@pytest.mark.parametrize("block", PLUGINS, ids=str)
def test_a_plugin_registers_and_implements_hooks_that_exist(manager, block: Block):
    plugin = types.ModuleType("documented")
    exec(compile(block.text, str(block), "exec"), vars(plugin))

    manager.register(plugin, name="documented")

    hooks = {caller.name for caller in manager.get_hookcallers(plugin)}
    assert hooks
    assert hooks <= set(vars(hookspecs))
    manager.check_pending()


def test_the_readme_has_a_plugin():
    assert ROOT / "README.md" in {block.page for block in PLUGINS}


@pytest.mark.slow
def test_the_documented_test_of_a_job_passes(tpuherd_run, monkeypatch):
    (block,) = [block for block in PYTHON if "def test_my_job_runs" in block.text]
    documented = {}
    exec(compile(block.text, str(block), "exec"), documented)
    monkeypatch.chdir(ROOT)

    documented["test_my_job_runs"](tpuherd_run)


@pytest.mark.slow
def test_the_program_on_the_emulated_cloud_runs(tpuherd_run, tpuherd_home):
    assert tpuherd_run("cloud.up").exit_code == 0
    exports = tpuherd_run("cloud.env").stdout.splitlines()
    pairs = (shlex.split(line)[1].partition("=") for line in exports)
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples/emulated_cloud.py")],
        env=os.environ | {name: value for name, _, value in pairs},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0].endswith("/nodes/mine CREATING")
    assert done.stdout.splitlines()[1] == "['answer.txt']"
