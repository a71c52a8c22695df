"""Tasks that tell what happened: history, events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd.tasks import opening
from tpuherd.tasks.command import command

if TYPE_CHECKING:
    from invoke.context import Context

    from tpuherd.engine.chain import Link

HELP = {"job": "A job: its id, the start of its id, or its name.", "json": "Print JSON."}
COLUMNS = ("attempt", "", "zone", "started", "held", "cost", "class", "evidence", "action")


@command(positional=["job"], help=HELP)
def history(_context: Context, job: str, json: bool = False) -> None:
    """Show the attempts of a job: when and where each was, why it failed, what was done, what it cost.

    Costs are list prices of the time for which slices were held.
    """
    from tpuherd.engine.chain import chain
    from tpuherd.engine.opening import stored_spec
    from tpuherd.output.tables import print_json, print_table
    from tpuherd.tasks.loaded import manager

    record = opening.find_job(job)
    links = chain(opening.store(), record, stored_spec(manager(), record))
    if json:
        print_json([_as_json(link) for link in links])
        return
    print_table(COLUMNS, [_row(link) for link in links])


@command(
    positional=["job"],
    auto_shortflags=True,
    help={
        **HELP,
        "kind": "Only events of this kind, for example recovery.",
        "last": "Only so many.",
        "since": "Only events that came later: in the last 90s, 30m, 2h, or since 2026-12-01T08:00:00Z.",
        "follow": "Go on until the job has ended.",
        "json": "Print JSON; with --follow one object per line.",
    },
)
def events(
    _context: Context,
    job: str,
    kind: str = "",
    last: int = 0,
    since: str = "",
    follow: bool = False,
    json: bool = False,
) -> None:
    """Show what happened to a job, oldest first: stages, diagnoses, recoveries."""
    from tpuherd.output import event_lines
    from tpuherd.output.log_lines import since_of

    store, record = opening.store(), opening.find_job(job)
    choice = event_lines.EventChoice(kind=kind, since=since_of(since))
    if follow:
        event_lines.follow(store, record.id, choice, event_lines.show_json if json else event_lines.show_line)
        return
    chosen = [event for event in store.events.all(record.id) if choice.shows(event)][-last:]
    (event_lines.print_all_json if json else event_lines.print_all)(chosen)


def _row(link: Link) -> tuple[object, ...]:
    from tpuherd.engine.tenure import local_time
    from tpuherd.output.tables import duration

    found = link.diagnosis
    waits = f" after {link.waits} waits" if link.waits else ""
    return (
        f"{link.number}{' (resumed)' if link.resume else ''}",
        link.state,
        link.zone,
        local_time(link.started_at),
        duration(link.held_s),
        "" if link.cost_usd is None else f"{link.cost_usd:.2f} USD",
        found.failure.value if found else "",
        "\n".join(found.evidence) if found else "",
        f"{type(link.recovery).__name__}{waits}: {link.recovery.reason}" if link.recovery else "",
    )


def _as_json(link: Link) -> dict[str, Any]:
    found, recovery = link.diagnosis, link.recovery
    plain = {name: getattr(link, name) for name in ("number", "resume", "zone", "started_at", "ended_at")}
    return plain | {
        "held_s": link.held_s,
        "cost_usd": link.cost_usd,
        "state": link.state,
        "class": found.failure.value if found else None,
        "evidence": list(found.evidence) if found else [],
        "blamed_worker": found.blamed_worker if found else None,
        "checkpoint_step": found.checkpoint_step if found else None,
        "waits": link.waits,
        "action": type(recovery).__name__ if recovery else None,
        "reason": recovery.reason if recovery else "",
    }


TASKS = (history, events)
