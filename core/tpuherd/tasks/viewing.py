"""Tasks that only look: list, status."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tpuherd.tasks import opening
from tpuherd.tasks.command import command

if TYPE_CHECKING:
    from invoke.context import Context

    from tpuherd.store.records import JobRecord
    from tpuherd.store.store import Store

JOB_HELP = {"job": "A job: its id, the start of its id, or its name.", "json": "Print JSON."}


@command(
    name="list",
    help={
        "json": "Print JSON.",
        "live": "Only jobs that have not ended.",
        "attention": "Only jobs that failed or have a problem, until `tpuherd ack`.",
    },
)
def list_task(_context: Context, json: bool = False, live: bool = False, attention: bool = False) -> None:
    """Show all jobs of this store, the newest last, and which of them need your attention."""
    from tpuherd.output.tables import ago, print_json, print_table

    store = opening.store()
    shown = [job for job in store.jobs.all() if not (live and job.state.ended)]
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


@command(positional=["job"], help=JOB_HELP)
def status(_context: Context, job: str, json: bool = False) -> None:
    """Show how far one job is: its stages, what it holds, who drives it, its last events."""
    from tpuherd.output.tables import ago, duration, print_json, print_table

    store, record = opening.store(), opening.find_job(job)
    stages = store.stages.all(record.id)
    events = store.events.all(record.id)
    if json:
        details = {
            "stages": [asdict(row) | {"state": row.state.value} for row in stages],
            "events": [asdict(event) for event in events],
            "directory": record.directory,
            "message": record.message,
            "acknowledgement": record.acknowledgement,
            "exit_code": record.exit_code,
        }
        print_json(_overview(store, record) | details)
        return
    print_table(
        ("", ""), [(key, value) for key, value in _overview(store, record).items() if key != "created_at"]
    )
    rows = [
        (r.attempt, r.stage, r.state.value, duration((r.ended_at or r.started_at) - r.started_at), r.error)
        for r in stages
    ]
    print_table(("attempt", "stage", "state", "took", "error"), rows)
    print_table(("when", "event", ""), [(ago(e.at), e.kind, e.text) for e in events[-8:]])


def _held_until(store: Store, record: JobRecord) -> str | None:
    """The moment at which its slices are given back unless they are used, in this machine's time zone."""
    from tpuherd.engine.tenure import held_until, local_time

    at = held_until(record, store.tenures.last_use(record.id))
    return None if at is None else local_time(at)


def _overview(store: Store, record: JobRecord) -> dict[str, Any]:
    from tpuherd.engine.holding import holds_nothing

    stages = [row for row in store.stages.all(record.id) if row.attempt == record.attempt]
    last = stages[-1] if stages else None
    holds = not holds_nothing(store, record.id, record.attempt)
    return {
        "job": record.id,
        "owner": record.owner,
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
