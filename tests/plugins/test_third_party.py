"""The example plugin, as a stranger would install and test it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "plugins" / "tpuherd-hello"


def find_uv():
    return shutil.which("uv", path=f"{os.environ.get('PATH', '')}:{ROOT / '.tools' / 'uv' / 'bin'}")


def run(*words, cwd):
    ours = ("TPUHERD_", "PYTEST_", "PYTHONPATH", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return subprocess.run(
        [str(word) for word in words], cwd=cwd, env=environment, capture_output=True, text=True, timeout=240
    )


@pytest.mark.slow
@pytest.mark.skipif(
    find_uv() is None, reason="there is no uv, on PATH or in .tools/uv/bin; scripts/uv gets one"
)
def test_the_example_plugin_passes_its_own_tests_in_an_environment_of_its_own(tmp_path):
    uv, venv = find_uv(), tmp_path / "venv"
    # A copy, because a stranger has no checkout around the plugin, and builds must not write into ours.
    plugin = shutil.copytree(EXAMPLE, tmp_path / "tpuherd-hello")

    made = run(uv, "venv", "--quiet", "--python", sys.executable, venv, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    python = venv / "bin" / "python"
    installed = run(
        uv, "pip", "install", "--quiet", "--python", python, ROOT, plugin, "pytest>=8", cwd=tmp_path
    )
    assert installed.returncode == 0, installed.stderr
    tested = run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=plugin)

    assert tested.returncode == 0, tested.stdout + tested.stderr
    expected = len(re.findall(r"^def test_", (plugin / "tests" / "test_hello.py").read_text(), re.MULTILINE))
    assert f"{expected} passed" in tested.stdout
