"""What a restart test is, and where the store keeps how far it is: in the events of its job."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from tpuherd.errors import StateError
from tpuherd.model.event import Event

if TYPE_CHECKING:
    from tpuherd.store.records import JobRecord
    from tpuherd.store.store import Store

PLANNED = "restart.planned"
"""The test as JSON; an empty text: there is none any more."""
KILLING = "restart.killing"
"""Written before the kill, once; what it says is done again after a crash of the controller."""
KILLED = "restart.killed"
VERDICT = "restart.verdict"


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartTest:
    """One workload, two attempts."""

    kill_at: str
    """See `moment.parse_moment`."""
    workers: str
    """On which workers it is killed, see `tasks.worker_choice`."""
    restored: str
    """Regular expression of the line with which the second attempt says that it has restored."""
    attempt: int = 1
    """The attempt that is killed."""


def planned(store: Store, job_id: str) -> RestartTest | None:
    """The restart test that a job is; `None` if it is an ordinary one."""
    text = newest(store, job_id, PLANNED)
    return RestartTest(**json.loads(text)) if text else None


def newest(store: Store, job_id: str, kind: str) -> str:
    """The text of a job's newest event of a kind; empty if there is none."""
    found = [event.text for event in store.events.all(job_id) if event.kind == kind]
    return found[-1] if found else ""


def make_test(store: Store, record: JobRecord, test: RestartTest) -> None:
    """Let a job that has not begun be a restart test; if it is this one already, do nothing.

    Raises:
        StateError: it has begun as another one, or as an ordinary job.
    """
    before = planned(store, record.id)
    if before == test:
        return
    if before is not None or store.stages.all(record.id):
        what = f"with `--kill-at {before.kill_at}`" if before else "without `--test-restart`"
        raise StateError(
            f"job {record.id} is live, and was started {what}: go on with it as it is, "
            f"`tpuherd resume {record.id}`, or end it, `tpuherd cancel {record.id}`"
        )
    _write(store, record, json.dumps(asdict(test)))


def forget_test(store: Store, record: JobRecord) -> None:
    """Let a job be an ordinary one from now on."""
    if planned(store, record.id) is not None:
        _write(store, record, "")


def _write(store: Store, record: JobRecord, text: str) -> None:
    event = Event(job_id=record.id, attempt=record.attempt, kind=PLANNED, text=text, at=time.time())
    store.events.add(event)
