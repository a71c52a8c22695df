"""One home with its disk and its clock, and one emulated cloud: seeds are played here one after the other."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from chaotic.disk import Disk
from tpuherd_emulator import lifecycle
from tpuherd_emulator.control.client import Control
from tpuherd_emulator.options import EmulatorOptions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

FAST = EmulatorOptions(create_s=0.0, delete_s=0.0, queue_s=0.02)
HERE = Path(__file__).parent
USER = "chaos"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A job as its store has it."""

    id: str
    state: str
    exit_code: int | None
    attempt: int
    message: str


class Site:
    """Everything below one folder; `close` ends and removes what runs there."""

    def __init__(self, root: Path) -> None:
        """Start the cloud."""
        self.root = root
        self.disk = Disk(root / "home")
        self.home = self.disk.path
        self.logs = root / "logs"
        self.logs.mkdir()
        self.clock = root / "clock"
        self.clock.write_text("0")
        self.cloud = root / "cloud"
        (self.home / "emulator").symlink_to(self.cloud)
        lifecycle.attach(self.cloud, USER)
        self.info = lifecycle.up(self.cloud, FAST)
        self.control = Control(self.info)
        self.shared = Path(self.info.shared_directory)
        shutil.copy(HERE / "work.py", self.shared)

    @property
    def variables(self) -> dict[str, str]:
        """The environment of each tpuherd process here."""
        path = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")]).strip(os.pathsep)
        ours = {"TPUHERD_HOME": str(self.home), "TPUHERD_PLUGINS": "chaotic.shifting", "PYTHONPATH": path}
        return os.environ | ours | {"CHAOS_CLOCK": str(self.clock)}

    def move_clock(self, seconds: float) -> None:
        """Let the time of day jump, for all tpuherd processes."""
        before = float(self.clock.read_text())
        fresh = self.clock.with_suffix(".new")
        fresh.write_text(str(before + seconds))
        fresh.replace(self.clock)

    def nodes(self) -> set[str]:
        """Names of all nodes, in whatever state."""
        return {node.name for node in lifecycle.status(self.cloud).nodes}

    def store(self) -> AbstractContextManager[sqlite3.Connection]:
        """The store, opened as a file to look into; no part of tpuherd is between."""
        return closing(sqlite3.connect(f"file:{self.home}/tpuherd.sqlite?mode=ro", uri=True, timeout=10))

    def row(self, name: str) -> Row | None:
        """The job of a name; `None` if the store has none yet."""
        query = "SELECT id, state, exit_code, attempt, message FROM jobs WHERE name = ?"
        try:
            with self.store() as store:
                found = store.execute(query, (name,)).fetchone()
        except sqlite3.OperationalError:  # there is no store yet, or no table in it
            return None
        return found and Row(**dict(zip(Row.__slots__, found, strict=True)))

    def workers(self, number: int) -> Iterator[Path]:
        """The folders of the workers of a number, on all slices."""
        return self.cloud.glob(f"workers/*-w{number}")

    def quiet(self) -> None:
        """Let nothing go wrong any more."""
        self.control.clear()
        self.disk.free(())
        self.clock.write_text("0")

    def close(self) -> None:
        """Stop the cloud with everything on it."""
        self.control.close()
        lifecycle.detach(self.cloud, USER)
        lifecycle.down(self.cloud)
        self.disk.close()
