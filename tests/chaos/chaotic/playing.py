"""Playing one plan: a user who starts the job and, when its controller is gone, resumes it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from chaotic import ledger
from chaotic.controllers import Controllers
from chaotic.doing import Doer
from chaotic.jobfile import folder, write
from tpuherd.store.records import JobState

if TYPE_CHECKING:
    from pathlib import Path

    from chaotic.controllers import Controller
    from chaotic.ledger import Note
    from chaotic.site import Row, Site
    from chaotic.values import Deed, Plan

SUPERVISE = "supervise"
LOOK_S = 0.05
LONGEST_S = 400.0
"""No plan asks for a quarter of that, unless others leave this machine no time."""
GOING_S = 90.0
"""How long processes may take to go when the job has ended."""
AGAIN_S = 0.5


@dataclass(slots=True, kw_only=True)
class Played:
    """What was seen from outside while a plan was played."""

    plan: Plan
    row: Row | None = None
    notes: list[Note] = field(default_factory=list)
    done: list[Deed] = field(default_factory=list)
    """The deeds for which there was time."""
    cancelled: bool = False
    most_nodes: int = 0
    """How many slices the job had at a time."""
    left: list[str] = field(default_factory=list)
    """What controllers said that went away by themselves while the job was live."""
    stuck: bool = False
    """The job did not end in time."""
    took_s: float = 0.0
    logs: list[Path] = field(default_factory=list)


class Play:
    """One plan on one site."""

    def __init__(self, site: Site, plan: Plan) -> None:
        """Write the job file; nothing runs yet."""
        self._site = site
        self._plan = plan
        self._job_file = write(site, plan)
        self._ledger = folder(site, plan) / "ledger"
        self._controllers = Controllers(site, plan.name)
        self._doer = Doer(site, self._controllers, plan.name)
        self._waiting = list(plan.deeds)
        self._reached_at: float | None = None
        self._left: set[int] = set()
        self.seen = Played(plan=plan)

    def run(self) -> Played:
        """Play it to the end of the job."""
        began = time.monotonic()
        self._drive()
        while not self._ended() and not self.seen.stuck:
            self._tick()
            time.sleep(LOOK_S)
            self.seen.stuck = time.monotonic() - began > LONGEST_S
        self._doer.undo_due(everything=True)
        self._wait_for_controllers()
        self.seen.notes = ledger.read(self._ledger)
        self.seen.cancelled = self._doer.cancelled
        self.seen.logs = [one.log for one in self._controllers.all]
        self.seen.took_s = time.monotonic() - began
        return self.seen

    def _ended(self) -> bool:
        self.seen.row = self._site.row(self._plan.name) or self.seen.row
        return self.seen.row is not None and JobState(self.seen.row.state).ended

    def _tick(self) -> None:
        self.seen.most_nodes = max(self.seen.most_nodes, len(self._site.nodes()))
        self._doer.undo_due()
        if self._waiting and self._is_due(self._waiting[0]):
            deed = self._waiting.pop(0)
            self._reached_at = None
            self._doer.do(deed)
            self.seen.done.append(deed)
        self._note_who_left()
        if self._plan.supervised and self.seen.row is None:
            self._create()
        driven = any(one.drives for one in self._controllers.alive)
        if not driven and time.monotonic() >= self._doer.resume_at:
            self._drive()

    def _is_due(self, deed: Deed) -> bool:
        now = time.monotonic()
        if self._reached_at is None and ledger.furthest(ledger.read(self._ledger)) >= deed.at_step:
            self._reached_at = now
        return self._reached_at is not None and now - self._reached_at >= deed.after_s

    def _drive(self) -> None:
        """Like a user who looks after the job now and then."""
        row = self._site.row(self._plan.name)
        if self._plan.supervised:
            self._controllers.start(SUPERVISE)
        elif row is None:
            self._controllers.start("run", str(self._job_file))
        else:
            self._controllers.start("resume", row.id)

    def _create(self) -> None:
        """Have the supervisor drive the job, once it runs: else `create` would start another one."""
        alive = self._controllers.alive
        ready = any(one.words == (SUPERVISE,) and "supervising" in one.output for one in alive)
        if ready and all(one.drives for one in alive):
            self._controllers.start("create", str(self._job_file))

    def _note_who_left(self) -> None:
        """A user would resume again soon, and ask why that was necessary."""
        for one in self._controllers.all:
            if one.has_left and one.process.pid not in self._left:
                self._left.add(one.process.pid)
                self._doer.resume_at = max(self._doer.resume_at, time.monotonic() + AGAIN_S)
                if not self._ended():
                    self.seen.left.append(_last_words(one))

    def _wait_for_controllers(self) -> None:
        """Those that end with the job; a supervisor is told to go."""
        for one in self._controllers.alive:
            if one.words == (SUPERVISE,):
                one.process.terminate()
        deadline = time.monotonic() + (0 if self.seen.stuck else GOING_S)
        while self._controllers.alive and time.monotonic() < deadline:
            time.sleep(LOOK_S)
        self.seen.stuck = self.seen.stuck or bool(self._controllers.alive)
        self._controllers.kill()


def _last_words(one: Controller) -> str:
    return f"`{' '.join(one.words)}` left with {one.process.returncode}: {one.output[-600:].strip()}"
