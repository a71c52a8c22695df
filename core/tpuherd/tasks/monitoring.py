"""The task that shows all jobs while they run."""

from __future__ import annotations

import json as json_text
import sys
import time
from functools import partial
from typing import TYPE_CHECKING

from tpuherd.tasks import fleet_running, opening
from tpuherd.tasks.command import command

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from invoke.context import Context

    from tpuherd.monitoring.watch import Watch
    from tpuherd.store.records import JobRecord

    Records = Callable[[], Sequence[JobRecord]]


@command(
    words="job",
    help={
        "job": "Only these jobs: ids, starts of ids, or names; or one fleet; also as plain words.",
        "all": "Also jobs that ended more than an hour ago.",
        "interval": "Time between two looks, for example 2s.",
        "once": "Print the table once.",
        "json": "Print one JSON object per look, on one line.",
    },
)
def monitor(
    _context: Context,
    job: list[str],
    all: bool = False,  # noqa: A002 - the option's name
    interval: str = "2s",
    once: bool = False,
    json: bool = False,
) -> None:
    """Watch jobs: how far they are, what went wrong, what they cost; follow, resume and cancel them by keys.

    Without names: all live jobs, and those that ended within the last hour. Where the output is no terminal
    the table is printed once. A fleet has a table of its own, with what its members have counted.
    """
    from tpuherd.durations import parse_duration
    from tpuherd.monitoring.watch import Watch
    from tpuherd.tasks.loaded import manager

    interval_s = parse_duration(interval, "--interval")
    if members := fleet_running.members_of_one(job):
        fleet_running.monitor(members, interval_s, once=once, json=json)
        return
    ids = [opening.find_job(word).id for word in job]
    records, watch = partial(_records, ids, everything=all), Watch(opening.store(), manager())
    if json:
        _print_lines(watch, records, 0.0 if once else interval_s)
    elif once or not (sys.stdin.isatty() and sys.stdout.isatty()):
        _print_table(watch, records)
    else:
        _show(watch, records, interval_s)


def _records(ids: list[str], *, everything: bool) -> Sequence[JobRecord]:
    from tpuherd.monitoring.watch import chosen, in_order

    found = opening.store().jobs.all()
    if ids:
        return in_order([record for record in found if record.id in ids])
    return in_order(found) if everything else chosen(found, time.time())


def _print_table(watch: Watch, records: Records) -> None:
    from tpuherd.monitoring.table import COLUMNS, cells
    from tpuherd.output.tables import print_table

    print_table(COLUMNS, [cells(watch.view(record)) for record in records()])


def _print_lines(watch: Watch, records: Records, interval_s: float) -> None:
    """One line per look, until somebody interrupts it; a single one if there is no interval."""
    while True:
        jobs = [watch.view(record).as_json() for record in records()]
        sys.stdout.write(json_text.dumps({"at": time.time(), "jobs": jobs}) + "\n")
        sys.stdout.flush()
        if not interval_s:
            return
        time.sleep(interval_s)


def _show(watch: Watch, records: Records, interval_s: float) -> None:
    from contextlib import suppress

    from rich.console import Console

    from tpuherd.monitoring.keyboard import Keyboard
    from tpuherd.monitoring.screen import LiveScreen

    with suppress(KeyboardInterrupt):  # one way to leave it
        LiveScreen(Console(), Keyboard(sys.stdin.fileno()), watch, records, interval_s).run()


TASKS = (monitor,)
