"""A home of its own for each test, and no holder that outlives it."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

TESTS = Path(__file__).parents[1]
sys.path += [str(TESTS / "remote"), str(TESTS / "jobs")]  # `farm` and `herd` live there

from farm import make_farm  # noqa: E402 - see above
from holding import holders  # noqa: E402

from tpuherd.holder import starting  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

    from farm import Farm


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty `TPUHERD_HOME`; its holders are ended after the test."""
    folder = tmp_path / "home"
    monkeypatch.setenv("TPUHERD_HOME", str(folder))
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.delenv("TPUHERD_HOLDER_IDLE_S", raising=False)
    monkeypatch.setattr(starting, "_unusable", [])
    yield folder
    for pid in holders(folder):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@pytest.fixture
def farm(tmp_path: Path) -> Iterator[Farm]:
    """Three sshds of this test alone."""
    folder = tmp_path / "farm"
    folder.mkdir()
    yield from make_farm(folder, 3)
