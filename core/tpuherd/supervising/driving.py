"""One job, driven in a thread of a supervisor."""

from __future__ import annotations

import threading
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, cast

from tpuherd.cloud.sharing import share
from tpuherd.config.secrets import variables
from tpuherd.engine.background import controller_log
from tpuherd.engine.controller import Controller
from tpuherd.engine.finishing import run_job
from tpuherd.engine.interrupts import OnInterrupt
from tpuherd.engine.leaving import Left
from tpuherd.errors import TpuherdError
from tpuherd.output.reporter import Reporter
from tpuherd.supervising.job_log import JobLog

if TYPE_CHECKING:
    from pluggy import PluginManager

    from tpuherd.engine.engine import Engine
    from tpuherd.engine.session import Session
    from tpuherd.errors import Cancelled
    from tpuherd.store.store import Store

OPENING = threading.BoundedSemaphore(4)
"""Jobs that are read and connected at the same time: that is work for the processor, not waiting."""


class Supervised(Controller):
    """A controller whose process goes on when its job has ended."""

    def leave_cloud(self, engine: Engine) -> None:
        """Tell the cloud that the job holds nothing more; other jobs may still talk to it."""
        self.hooks.leave_cloud(cloud=engine.job.cloud, job_id=self.record.id)


class Driving:
    """Drives a job whose lease this process holds; whoever made it keeps the lease and hears wishes."""

    def __init__(self, store: Store, manager: PluginManager, job_id: str) -> None:
        """Keep the parts; `start` begins."""
        self.job_id = job_id
        self.since = time.monotonic()
        self.told = False
        """It was told to stop, or to leave."""
        self.problem = ""
        """Why it could not be driven, once it is over; empty: it was, to its end or until it was left."""
        self._store = store
        self._manager = manager
        self._session: Session | None = None
        self._why: Cancelled | None = None
        self._leaves = False
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name=f"drive {job_id}", daemon=True)

    def start(self) -> None:
        """Begin, in a thread of its own."""
        self._thread.start()

    @property
    def over(self) -> bool:
        """True once nothing is done about the job here any more."""
        return not self._thread.is_alive()

    def stop(self, why: Cancelled) -> None:
        """Stop the work on the job: cancel or pause it, as `why` says."""
        with self._lock:
            self.told, self._why = True, why
            if self._session:
                self._session.cancel(why)

    def leave(self) -> None:
        """Stop driving the job, and leave it as it is."""
        with self._lock:
            self.told = self._leaves = True
            if self._session:
                self._session.leave()

    def _run(self) -> None:
        try:
            self._drive()
        except Left:
            return
        except TpuherdError as error:
            self.problem = "\n".join([str(error), *getattr(error, "__notes__", ())])
        except Exception as error:  # noqa: BLE001 - a broken job must not end the others
            self.problem = "".join(traceback.format_exception(error)).rstrip()

    def _drive(self) -> None:
        share()
        record = self._store.jobs.get(self.job_id)
        log = cast("TextIO", JobLog(controller_log(record)))
        reporter = Reporter(progress=log, logs=log)
        with OPENING:
            controller = Supervised(self._store, self._manager, record, reporter, OnInterrupt.DETACH)
            self._require_secrets(controller)
        self._begun(controller.session)
        outcome = controller.work(lambda engine: run_job(controller, engine, keep=record.keep))
        reporter.show(f"job {record.id} {outcome.state.value} {outcome.message}".rstrip())

    def _require_secrets(self, controller: Controller) -> None:
        """A secret that this process does not have must not end a job that others can go on with."""
        if self._why is None:
            variables(controller.hooks.spec.env, Path(controller.record.base_directory))

    def _begun(self, session: Session) -> None:
        """What was said before there was somebody to hear it."""
        with self._lock:
            self._session = session
            if self._leaves:
                session.leave()
            elif self._why:
                session.cancel(self._why)
