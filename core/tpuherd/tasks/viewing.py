"""Tasks that only look: list, status."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tpuherd.errors import StateError
from tpuherd.tasks import opening
from tpuherd.tasks.command import command

if TYPE_CHECKING:
    from invoke.context import Context

    from tpuherd.store.records import JobRecord, StageRecord
    from tpuherd.store.store import Store

JOB_HELP = {"job": "A job: its id, the start of its id, or its name.", "json": "Print JSON."}


@command(
    name="list",
    help={
        "json": "Print JSON.",
        "live": "Only jobs that have not ended.",
        "fleet": "Only members of this fleet: its id, or its name.",
        "attention": "Only jobs that failed or have a problem, until `tpuherd ack`.",
    },
)
def list_task(
    _context: Context, json: bool = False, live: bool = False, fleet: str = "", attention: bool = False
) -> None:
    """Show all jobs of this store, the newest last, and which of them need your attention."""
    from tpuherd.output.tables import ago, print_json, print_table

    store = opening.store()
    shown = [job for job in _listed(store, fleet) if not (live and job.state.ended)]
    rows = [_overview(store, job) for job in shown if job.attention or not attention]
    if json:
        print_json(rows)
        return
    columns = ("job", "owner", "state", "stage", "attempt", "holds", "until", "started", "attention", "file")
    print_table(
        columns,
        [
            (
                r["job"],
                r["owner"],
                r["state"],
                r["stage"],
                r["attempt"],
                r["holds"],
                r["held_until"],
                ago(r["created_at"]),
                r["attention"].partition("\n")[0],
                r["file"],
            )
            for r in rows
        ],
    )


def _listed(store: Store, fleet: str) -> list[JobRecord]:
    from tpuherd.members.finding import members_meant

    everything = store.jobs.all()
    found = members_meant(everything, fleet) if fleet else everything
    if fleet and not found:
        raise StateError(f"there is no fleet '{fleet}'; `tpuherd list` shows all jobs")
    return found


@command(positional=["job"], help=JOB_HELP)
def status(_context: Context, job: str, json: bool = False) -> None:
    """Show how far one job is: its stages, what it holds, who drives it, its last events."""
    from tpuherd.output.tables import ago, duration, print_json, print_table

    store, record = opening.store(), opening.find_job(job)
    if json:
        print_json(details(store, record))
        return
    stages, events = _stages(store, record), store.events.all(record.id)
    print_table(
        ("", ""), [(key, value) for key, value in _overview(store, record).items() if key != "created_at"]
    )
    rows = [
        (r.attempt, r.stage, r.state.value, duration((r.ended_at or r.started_at) - r.started_at), r.error)
        for r in stages
    ]
    print_table(("attempt", "stage", "state", "took", "error"), rows)
    print_table(("when", "event", ""), [(ago(e.at), e.kind, e.text) for e in events[-8:]])


def details(store: Store, record: JobRecord) -> dict[str, Any]:
    """What `status --json` prints."""
    return _overview(store, record) | {
        "stages": [asdict(row) | {"state": row.state.value} for row in _stages(store, record)],
        "events": [asdict(event) for event in store.events.all(record.id)],
        "directory": record.directory,
        "message": record.message,
        "acknowledgement": record.acknowledgement,
        "exit_code": record.exit_code,
    }


def _stages(store: Store, record: JobRecord) -> list[StageRecord]:
    from tpuherd.engine.describing import as_it_went

    return [as_it_went(row) for row in store.stages.all(record.id)]


def _held_until(store: Store, record: JobRecord) -> str | None:
    """The moment at which its slices are given back unless they are used, in this machine's time zone."""
    from tpuherd.engine.tenure import held_until, local_time

    at = held_until(record, store.tenures.last_use(record.id))
    return None if at is None else local_time(at)


def _overview(store: Store, record: JobRecord) -> dict[str, Any]:
    from tpuherd.engine.holding import holds_nothing

    stages = [row for row in _stages(store, record) if row.attempt == record.attempt]
    last = stages[-1] if stages else None
    holds = not holds_nothing(store, record.id, record.attempt)
    return {
        "job": record.id,
        "owner": record.owner,
        "fleet": record.fleet or "",
        "state": record.state.value,
        "stage": f"{last.stage} {last.state.value}" if last else "",
        "attempt": record.attempt,
        "holds": "slices" if holds else "",
        "held_until": _held_until(store, record) if holds else None,
        "driven_by": store.leases.driver(record.id) or "",
        "created_at": record.created_at,
        "attention": record.attention,
        "file": record.file,
    }
