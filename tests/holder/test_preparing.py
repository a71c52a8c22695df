"""What the warm starter does in advance."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from tpuherd.holder.preparing import note_used_modules, noted_modules
from tpuherd.store.store import Store

if TYPE_CHECKING:
    from pathlib import Path

PREPARED = """
import sys
from pathlib import Path
from tpuherd.holder.preparing import HEAVY, import_light, rehearse_store
import_light(["tpuherd.remote.dialer", "there.is.none", "tpuherd.remote.text"])
assert "tpuherd.remote.text" in sys.modules
assert "tpuherd.remote.dialer" not in sys.modules
rehearse_store()
from tpuherd.store import database
from tpuherd.tasks import opening
prepared = dict(database._prepared)
assert not HEAVY & set(sys.modules), HEAVY & set(sys.modules)
import tpuherd.remote.dialer  # can be imported afterwards
assert opening.store().jobs.all() == []
print(len(prepared), opening.store().engine in prepared.values(), database._prepared)
"""


def prepared(home: Path, **variables: str) -> str:
    environment = os.environ | {"TPUHERD_HOME": str(home)} | variables
    done = subprocess.run(
        [sys.executable, "-c", PREPARED],
        env=environment,
        cwd=home,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_heavy_modules_are_left_out_and_the_store_is_opened_anew(tmp_path: Path) -> None:
    assert prepared(tmp_path) == "1 True {}"


def test_a_store_with_a_relative_path_is_left_alone(tmp_path: Path) -> None:
    assert prepared(tmp_path, TPUHERD_DATABASE="sqlite:///here.db") == "0 False {}"


def test_modules_are_noted_for_the_next(tmp_path: Path) -> None:
    Store(f"sqlite:///{tmp_path}/store.db")
    assert noted_modules(tmp_path / "a.warm") == []
    note_used_modules(tmp_path / "a.warm")
    assert {"tpuherd.store.store", "tpuherd_emulator", "tpuherd_worktree"} <= set(
        noted_modules(tmp_path / "a.warm")
    )
