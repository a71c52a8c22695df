"""The `tpus` commands that only look: list and find."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from invoke.exceptions import Exit

from tpuherd.exit_codes import ExitCode
from tpuherd.tasks.command import command
from tpuherd.tasks.fleet_options import helps

if TYPE_CHECKING:
    from invoke.context import Context

    from tpuherd.fleet.choosing import Choice
    from tpuherd.fleet.tpu import Tpu
    from tpuherd.tasks.fleet_options import View


@command(
    name="list",
    words="pattern",
    iterable=["pattern", "zone", "state"],
    help=helps(
        "pattern",
        "cloud",
        "project",
        zone="Only this zone; may be repeated. Default: all zones in one call.",
        state="Only this state, for example READY; may be repeated.",
        owner="Only what this user made with tpuherd.",
        mine="Only what you made.",
        free="Only what one could use now: READY, healthy, without a job, not reserved by others.",
        job="Only what was made for this job: its id, or the start of it.",
        watch="Show it again and again until Ctrl-C.",
        every="Seconds between two looks, with --watch.",
        json="Print JSON; with --watch one object per line.",
    ),
)
def list_task(
    _context: Context,
    pattern: list[str],
    zone: list[str],
    state: list[str],
    owner: str = "",
    mine: bool = False,
    free: bool = False,
    job: str = "",
    watch: bool = False,
    every: float = 5.0,
    json: bool = False,
    cloud: str = "",
    project: str = "",
) -> None:
    """Show all TPUs of the project, whoever made them: `tpuherd tpus`, or `tpuherd tpus v4+ 'ada-*'`.

    Nodes of all zones, and queued requests that have no nodes yet, with state, health, age, owner, list price
    per hour while READY, and the job that they were made for. Types: v4 (any size), v4+ (this generation or
    newer), v34 (v3 or v4), v5e-8, v4-32+ (this size or more), v* (any). Names may have * and ?.
    A place that does not answer is said: what it holds is unknown.
    """
    from tpuherd.fleet.choosing import Choice, check_states
    from tpuherd.fleet.patterns import parse_all
    from tpuherd.tasks.fleet_options import look

    choice = Choice(
        patterns=parse_all(pattern), states=check_states(state), owner=owner, job=job, mine=mine, free=free
    )
    if watch:
        from tpuherd.tasks.fleet_watching import watch as go_on

        go_on(choice, zone, cloud, project, every_s=every, json=json)
        return
    _show(look(cloud, project, zone), choice, json=json)


@command(
    words="pattern",
    iterable=["pattern", "zone"],
    help=helps(
        "pattern",
        "cloud",
        "project",
        "json",
        zone="Only this zone; may be repeated.",
        free="Only those without a job of ours or others, and not reserved by others.",
        healthy="Only those against which the API says nothing.",
        probe="Ask the workers, too: no process may hold a TPU device.",
    ),
)
def find(
    _context: Context,
    pattern: list[str],
    zone: list[str],
    free: bool = False,
    healthy: bool = False,
    probe: bool = False,
    json: bool = False,
    cloud: str = "",
    project: str = "",
) -> None:
    """Find TPUs that are READY, for example `tpuherd tpus.find v4+ --free`; exit code 14 if there is none."""
    from tpuherd.fleet.choosing import Choice
    from tpuherd.fleet.patterns import parse_all
    from tpuherd.output.tables import print_json
    from tpuherd.tasks.fleet_options import look

    view = look(cloud, project, zone)
    choice = Choice(patterns=parse_all(pattern), states=("READY",), free=free, healthy=healthy)
    found = _chosen(view, choice)
    if probe:
        from tpuherd.fleet.probing import idle
        from tpuherd.output.reporter import Reporter

        found = idle(view.cloud, found, Reporter().note)
    if json:
        print_json(_document(view, found))
    elif found:
        print_rows(view, found)
    if not found:
        sys.stderr.write("tpuherd: no such TPU can be used now; `tpuherd tpus` shows all\n")
        raise Exit(code=ExitCode.NOTHING_FOUND)


def print_rows(view: View, tpus: list[Tpu]) -> None:
    """The table of some rows."""
    from tpuherd.fleet.showing import COLUMNS, cells
    from tpuherd.output.tables import print_table

    print_table(COLUMNS, [cells(tpu, view.known, time.time()) for tpu in tpus])


def _chosen(view: View, choice: Choice) -> list[Tpu]:
    return [tpu for tpu in view.fleet.tpus if choice.fits(tpu, view.known)]


def _show(view: View, choice: Choice, *, json: bool) -> None:
    from tpuherd.fleet.choosing import names_without_tpu
    from tpuherd.fleet.showing import totals_line
    from tpuherd.output.tables import print_json

    found = _chosen(view, choice)
    for word, hint in names_without_tpu(choice.patterns, view.fleet.tpus, view.known):
        sys.stderr.write(f"tpuherd: there is no TPU {word!r}; {hint}\n")
    if json:
        print_json(_document(view, found))
        return
    print_rows(view, found)
    sys.stdout.write(f"{totals_line(found)}\n")


def _document(view: View, tpus: list[Tpu]) -> dict[str, Any]:
    from tpuherd.fleet.showing import document

    return document(view.fleet, view.known, tpus)
