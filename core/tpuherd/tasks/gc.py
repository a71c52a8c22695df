"""Finding and deleting what nobody gives back any more."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from invoke.exceptions import Exit

from tpuherd.exit_codes import ExitCode
from tpuherd.tasks import opening
from tpuherd.tasks.clouds import CLOUD_HELP, visit
from tpuherd.tasks.command import command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from invoke.context import Context

    from tpuherd.cleanup.removing import Removal
    from tpuherd.cleanup.survey import Finding, Survey

COLUMNS = ("what", "type", "state", "age", "USD/h", "job", "verdict", "why")


@command(
    iterable=["zone"],
    help={
        **CLOUD_HELP,
        "yes": "Delete what may go; without it nothing is deleted.",
        "zone": "Only this zone; may be repeated. Default: all zones.",
        "json": "Print JSON.",
    },
)
def gc(
    _context: Context,
    zone: list[str],
    yes: bool = False,
    json: bool = False,
    cloud: str = "",
    project: str = "",
) -> None:
    """Show which TPUs and queued resources of yours nobody gives back any more; --yes deletes them.

    Yours are those with the labels that tpuherd puts on what it makes for you. What others made is never
    touched, whatever its name, nor what another store knows, nor what a live job holds, nor anything about
    which an answer is missing.
    """
    from tpuherd.cleanup.removing import Remover
    from tpuherd.cleanup.survey import survey
    from tpuherd.output.reporter import Reporter
    from tpuherd.tasks.loaded import manager

    visited = visit(cloud, project)
    found = survey(visited, opening.store(), zone)
    if not json:
        _show(found, yes=yes)
    remover = Remover(visited, opening.store(), manager(), Reporter(logs=sys.stderr if json else None))
    removed = remover.remove(found) if yes else []
    _report(found, removed, json=json)


def _show(found: Survey, *, yes: bool) -> None:
    from tpuherd.output.tables import print_table

    if found.findings:
        print_table(COLUMNS, [_cells(one) for one in found.findings])
    silent = f"; no answer from {', '.join(found.unreachable)}" if found.unreachable else ""
    others = f"{found.foreign} that are not yours are left alone{silent}"
    going = len(found.going)
    how = "; `tpuherd gc --yes` deletes what may go" if going and not yes else ""
    sys.stderr.write(f"{len(found.findings)} of yours, {going} may go{how}; {others}\n")


def _cells(one: Finding) -> Sequence[object]:
    from tpuherd.fleet.pricing import usd_per_hour
    from tpuherd.output.tables import ago

    tpu, price = one.tpu, usd_per_hour(one.tpu)
    cost = "?" if price is None else f"{price:.2f}"
    what = f"{tpu.kind.value} {tpu.place}"
    age = ago(tpu.created_at).removesuffix(" ago")
    return (what, tpu.accelerator, tpu.state, age, cost, tpu.job, one.verdict.fate.value, one.verdict.reason)


def _report(found: Survey, removed: Sequence[Removal], *, json: bool) -> None:
    """What became of what was to be deleted; raises `Exit` if something may still be there."""
    from tpuherd.cleanup.removing import Fortune
    from tpuherd.output.tables import print_json

    if json:
        print_json(_document(found, removed))
    for one in removed if not json else ():
        text = f": {one.text}" if one.text else ""
        sys.stdout.write(f"{one.target.what} {one.fortune.value}{text}\n")
    if any(one.fortune is Fortune.FAILED for one in removed):
        raise Exit(code=ExitCode.CLOUD_REFUSED)


def _document(found: Survey, removed: Sequence[Removal]) -> dict[str, object]:
    from tpuherd.cleanup.survey import key

    fortunes = {key(row): one for one in removed for row in one.target.rows}
    return {
        "resources": [_row(one, fortunes.get(key(one.tpu))) for one in found.findings],
        "foreign": found.foreign,
        "unreachable": found.unreachable,
    }


def _row(one: Finding, removal: Removal | None) -> dict[str, object]:
    from tpuherd.fleet.pricing import usd_per_hour

    tpu = one.tpu
    return {
        "kind": tpu.kind.value,
        "name": tpu.name,
        "zone": tpu.zone,
        "accelerator": tpu.accelerator,
        "state": tpu.state,
        "queued_resource": tpu.queued_resource or None,
        "created_at": tpu.created_at,
        "usd_per_hour": usd_per_hour(tpu),
        "job": tpu.job or None,
        "verdict": one.verdict.fate.value,
        "reason": one.verdict.reason,
        "outcome": removal.fortune.value if removal else None,
        "outcome_text": removal.text if removal else "",
    }
