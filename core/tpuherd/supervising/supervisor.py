"""The loop of a supervisor: which jobs it drives, what their users want, whose lease it is."""

from __future__ import annotations

import getpass
import logging
import threading
import time
from typing import TYPE_CHECKING

from tpuherd.cloud.client import hang_up
from tpuherd.cloud.sharing import forget, suit
from tpuherd.engine.lease_keeper import RENEW_S
from tpuherd.engine.tenure import stop_reason
from tpuherd.errors import LocalError
from tpuherd.store.leases import this_process
from tpuherd.supervising.aside import Aside
from tpuherd.supervising.choosing import asker, to_drive
from tpuherd.supervising.driving import Driving

if TYPE_CHECKING:
    from collections.abc import Callable

    from pluggy import PluginManager

    from tpuherd.store.store import Store
    from tpuherd.store.wishes import LiveJob

log = logging.getLogger(__name__)

TICK_S = 0.5
"""Between two looks at the store: how soon a wish is heard."""
WELL_S = 30.0
"""A job that is driven for so long has the problem no more that has kept it from being driven."""
AT_ONCE = 50
"""Jobs that are begun in one tick; a thousand of them must not keep the loop from renewing leases."""


class Supervisor:
    """Drives all jobs of one user that are meant to go on; each in a thread of its own."""

    def __init__(self, store: Store, manager: PluginManager, note: Callable[[str], None]) -> None:
        """Keep the parts.

        Args:
            store: the store.
            manager: the plugins.
            note: told what happens to jobs, one line each.
        """
        self._store = store
        self._manager = manager
        self._note = note
        self._leaving = threading.Event()
        self._driven: dict[str, Driving] = {}
        self._aside = Aside()
        self._renewed_at = time.monotonic()
        self.busy_at = time.monotonic()
        """When there was something to do last."""

    @property
    def driven(self) -> int:
        """How many jobs it drives."""
        return len(self._driven)

    @property
    def aside(self) -> int:
        """How many jobs it could not drive, and tries again."""
        return len(self._aside)

    def leave(self) -> None:
        """Stop at the end of this tick; may be called in a signal's handler."""
        self._leaving.set()

    def run(self, after_tick: Callable[[], bool]) -> None:
        """Drive until `leave` is called, or `after_tick` says that it is over."""
        while not self._leaving.is_set():
            try:
                self.tick()
                if not after_tick():
                    return
            except LocalError as error:
                self._note(f"trying again: {error}")
            except Exception:
                log.exception("looking at the store failed, trying again")
            self._leaving.wait(TICK_S)

    def tick(self) -> None:
        """Look once: keep leases, hear wishes, end what is over, begin what nobody drives."""
        if time.monotonic() - self._renewed_at > RENEW_S:
            self._store.leases.renew_all()
            self._renewed_at = time.monotonic()
        live = {job.id: job for job in self._store.wishes.live(getpass.getuser())}
        self._reap(live)
        self._hear(live)
        self._begin(live)
        self._aside.keep(set(live))
        suit(len(self._driven))
        if self._driven:
            self.busy_at = time.monotonic()
        else:
            forget()
            hang_up()

    def give_all_back(self) -> None:
        """Let everybody else have the jobs; this process must end at once after it."""
        self._store.leases.give_back_all()

    def _reap(self, live: dict[str, LiveJob]) -> None:
        for job_id, one in [*self._driven.items()]:
            if one.over:
                del self._driven[job_id]
                self._ended(one, live.pop(job_id, None))

    def _ended(self, one: Driving, job: LiveJob | None) -> None:
        """Give its lease to whoever wants it; a job that could not be driven is set aside."""
        if one.problem:
            self._note(f"job {one.job_id} is set aside: {one.problem.splitlines()[0]}")
            self._store.wishes.trouble(one.job_id, one.problem)
            self._aside.put(one.job_id, job.wanted if job else "")
        else:
            self._note(f"job {one.job_id} is not driven any more")
            self._aside.forget(one.job_id)
        wants = job and asker(job)
        if wants:
            self._store.leases.hand_over(one.job_id, wants)
        self._store.leases.give_back(one.job_id)

    def _hear(self, live: dict[str, LiveJob]) -> None:
        for job_id, one in self._driven.items():
            job = live.get(job_id)
            lost = job is not None and job.holder != this_process()
            if lost or (job and asker(job)):
                one.leave()
            elif job and not one.told and (why := stop_reason(job)):
                one.stop(why)
            elif job and job.problem and time.monotonic() - one.since > WELL_S:
                self._store.wishes.trouble(job_id, None)

    def _begin(self, live: dict[str, LiveJob]) -> None:
        free = [job for job in live.values() if job.id not in self._driven and self._may(job)]
        for job in free[:AT_ONCE]:
            if self._store.leases.take(job.id) is None:
                self._note(f"driving job {job.id}")
                self._driven[job.id] = Driving(self._store, self._manager, job.id)
                self._driven[job.id].start()

    def _may(self, job: LiveJob) -> bool:
        return not self._aside.has(job.id, job.wanted) and asker(job) is None and to_drive(job)
