"""Whether what a process has imported is still what is on disk."""

from __future__ import annotations

import importlib
import os
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tpuherd.holder.freshness import Freshness

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAME = "module_of_the_freshness_test"


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file of a module that is imported, and was written long ago."""
    path = tmp_path / f"{NAME}.py"
    path.write_text("VALUE = 1\n")
    os.utime(path, (1e9, 1e9))
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.import_module(NAME)
    yield path
    del sys.modules[NAME]


def later() -> float:
    """A moment after the last change of anything."""
    return time.time() + 1.0


def test_a_further_link_to_a_file_changes_nothing(module: Path) -> None:
    known = Freshness(later())
    os.link(module, module.with_name("the_same_file_elsewhere.py"))
    assert known.lasts()


@pytest.mark.parametrize("written_at", [None, 1e9])
def test_a_file_that_was_replaced_is_noticed(module: Path, written_at: float | None) -> None:
    known = Freshness(later())
    other = module.with_name("other.py")
    other.write_text("VALUE = 2\n")
    if written_at is not None:
        os.utime(other, (written_at, written_at))
    other.replace(module)
    assert not known.lasts()


def test_a_file_that_was_written_is_noticed(module: Path) -> None:
    known = Freshness(later())
    module.write_text("VALUE = 3\n")
    assert not known.lasts()


def test_a_file_that_is_gone_is_noticed(module: Path) -> None:
    known = Freshness(later())
    module.unlink()
    assert not known.lasts()


def test_what_is_written_while_it_is_imported_is_not_trusted(module: Path) -> None:
    assert not Freshness(module.stat().st_ctime - 1.0).lasts()
