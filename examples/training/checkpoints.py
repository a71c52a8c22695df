"""Checkpoints that survive the slice, and what is told about them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax
import orbax.checkpoint as ocp

if TYPE_CHECKING:
    from model import State

KEPT = 2
"""So many of the newest checkpoints stay."""


class Checkpoints:
    """Saves in the background, so that training goes on meanwhile."""

    def __init__(self, directory: str, every: int) -> None:
        """Use a folder or a `gs://` address that all workers see; every so many steps there is a save."""
        options = ocp.CheckpointManagerOptions(max_to_keep=KEPT, save_interval_steps=every, create=True)
        self._manager = ocp.CheckpointManager(directory, options=options)
        self._pending: int | None = None
        self.newest: int | None = self._manager.latest_step()
        """The step of the newest whole checkpoint; one that was cut off while it was written is none."""

    def restore(self, like: State) -> State:
        """The state of the newest checkpoint, put to where `like` says: an abstract state with shardings."""
        args: Any = ocp.args.StandardRestore(like)
        return self._manager.restore(self.newest, args=args)

    def is_told_to_end(self, step: int) -> bool:
        """True on all workers at the same step, soon after any of them has got SIGTERM."""
        return self._manager.reached_preemption(step)

    def save(self, step: int, state: State, *, last: bool) -> None:
        """Begin to save, if the step is one to be saved, or the last one: of all, or because of a SIGTERM."""
        self.look()
        if self._manager.save(step, args=ocp.args.StandardSave(state), force=last):
            self._complete()  # Orbax has waited for the save before
            self._pending = step

    def look(self) -> None:
        """Say so if a save has become complete."""
        if not self._manager.is_saving_in_progress():
            self._complete()

    def finish(self) -> None:
        """Wait for the last save."""
        self._manager.wait_until_finished()
        self._complete()
        self._manager.close()

    def _complete(self) -> None:
        if self._pending is not None:
            self.newest, self._pending = self._pending, None
            print(f"saved step {self.newest}", flush=True)


def report(step: int, total: int, checkpoint: int | None) -> None:
    """Tell tpuherd how far the work is: it notices work that hangs, and work that came further."""
    folder = os.environ.get("TPUHERD_ATTEMPT_DIR")
    if folder is None or jax.process_index() != 0:
        return
    said = {"step": step, "total": total} | ({} if checkpoint is None else {"checkpoint_step": checkpoint})
    fresh = Path(folder, "progress.json.new")
    fresh.write_text(json.dumps(said))
    fresh.replace(fresh.with_suffix(""))
