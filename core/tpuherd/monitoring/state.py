"""What a user has done at the screen so far: which job is selected, what is being asked, what was said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd.monitoring.actions import ACTIONS, Action

if TYPE_CHECKING:
    from collections.abc import Sequence

MOVES = {"up": -1, "k": -1, "down": 1, "j": 1}
"""Keys that select another job."""
FOLLOW = ("f", "enter")
QUIT = ("q", "escape")


@dataclass(slots=True, kw_only=True)
class Screen:
    """Changed by keys alone; whoever shows it carries out what is `due`."""

    selected: str = ""
    """Id of a job; empty: there is none."""
    asking: Action | None = None
    """Waits for a yes."""
    message: str = ""
    due: Action | None = None
    """What is to be done about the selected job now."""
    follow: bool = False
    """Its log is to be followed."""
    over: bool = False

    def show(self, jobs: Sequence[str]) -> None:
        """These jobs are on the screen now, in this order; the selection stays with its job."""
        if self.selected not in jobs:
            self.selected, self.asking = (jobs[0] if jobs else ""), None

    def press(self, key: str, jobs: Sequence[str]) -> None:
        """A key was pressed while these jobs were on the screen."""
        if not key:
            return
        self.message = ""
        if self.asking is not None:
            self._answer(key)
        elif key in QUIT:
            self.over = True
        elif self.selected:
            self._about_the_job(key, jobs)

    def _about_the_job(self, key: str, jobs: Sequence[str]) -> None:
        if key in MOVES:
            at = list(jobs).index(self.selected) + MOVES[key]
            self.selected = jobs[min(max(at, 0), len(jobs) - 1)]
        elif key in FOLLOW:
            self.follow = True
        else:
            self._act(next((action for action in ACTIONS if action.key == key), None))

    def _act(self, action: Action | None) -> None:
        if action is not None and action.question:
            self.asking = action
        else:
            self.due = action

    def _answer(self, key: str) -> None:
        self.due = self.asking if key in {"y", "Y"} else None
        self.message = "" if self.due else "nothing was done"
        self.asking = None

    @property
    def footer(self) -> str:
        """The last line of the screen."""
        if self.asking:
            return f"{self.asking.label} {self.selected}: {self.asking.question}? [y/N]"
        keys = ["↑↓ select", "f follow", *(f"{one.key} {one.label}" for one in ACTIONS), "q quit"]
        return self.message or "   ".join(keys)
