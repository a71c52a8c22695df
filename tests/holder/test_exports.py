"""What plugin authors import from `tpuherd`, without that every command imports all of it."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tpuherd
from tpuherd import exports


def test_all_of_it_is_there() -> None:
    for name in exports.__all__:
        assert getattr(tpuherd, name) is getattr(exports, name)
    assert tpuherd.__all__ == exports.__all__
    lower = {name for name in exports.__all__ if name.islower()}
    assert lower | {"__all__"} == tpuherd.LOWER_CASE


def test_nothing_else_is() -> None:
    for name in ("Nothing", "nothing"):
        with pytest.raises(AttributeError, match=f"has no attribute '{name}'"):
            getattr(tpuherd, name)


def test_it_is_imported_when_it_is_asked_for() -> None:
    code = "\n".join(
        [
            "import sys, tpuherd",
            "from tpuherd import paths",
            "assert 'tpuherd.exports' not in sys.modules",
            "from tpuherd import Worker, hookimpl",
            "assert 'tpuherd.exports' in sys.modules",
            "from tpuherd import *",
            "print(Worker is WorkerExit, hookimpl.project_name)",
        ]
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False tpuherd\n"
