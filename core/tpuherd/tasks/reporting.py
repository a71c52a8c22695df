"""The task that says where the time and the money of jobs went."""

from __future__ import annotations

import math
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tpuherd.tasks import opening
from tpuherd.tasks.command import command

if TYPE_CHECKING:
    from invoke.context import Context

    from tpuherd.reporting.account import Account, Loss
    from tpuherd.reporting.portions import Portion
    from tpuherd.store.records import JobRecord

COLUMNS = ("job", "state", "attempts", "time", "productive", "goodput", "of paid", "cost", "per productive h")
CAUSES = ("badput", "after", "time", "of all", "cost")


@command(
    words="job",
    help={
        "job": "Only these jobs: ids, starts of ids, or names; also as plain words.",
        "since": "Only time that came later: the last 90s, 30m, 2h, 7d, or since 2026-12-01T08:00:00Z.",
        "json": "Print JSON.",
    },
)
def report(_context: Context, job: list[str], since: str = "", json: bool = False) -> None:
    """Show where the time and the money of jobs went: goodput, badput by cause, dollars; all jobs by default.

    Productive is what a workload did until its last checkpoint, and all that a successful attempt did. What
    each figure means stands in docs/how-to/report.md.
    """
    from tpuherd.output.log_lines import since_of
    from tpuherd.output.tables import print_json
    from tpuherd.reporting.account import account

    began = since_of(since)
    rows = _rows(job, -math.inf if began is None else began)
    accounts = [(record, account(portions)) for record, portions in rows]
    together = account([portion for _, portions in rows for portion in portions])
    if json:
        jobs = [_job_json(record) | _as_json(one) for record, one in accounts]
        print_json({"since": began, "jobs": jobs, "total": _as_json(together)})
        return
    _print(accounts, together)


def _rows(words: list[str], since: float) -> list[tuple[JobRecord, list[Portion]]]:
    """The jobs that are meant, each with its time; without names only those that have any."""
    from tpuherd.reporting.gathering import gather
    from tpuherd.reporting.portions import portions
    from tpuherd.reporting.specs import Specs
    from tpuherd.tasks.loaded import manager

    store, specs = opening.store(), Specs(manager())
    records = list({found.id: found for found in map(opening.find_job, words)}.values())
    rows = [(one, portions(gather(store, one, specs.of(one)), since)) for one in records or store.jobs.all()]
    return [row for row in rows if words or row[1]]


def _print(accounts: list[tuple[JobRecord, Account]], together: Account) -> None:
    from tpuherd.output.tables import print_table

    cells = [(one.id, one.state.value, one.attempt, *_cells(found)) for one, found in accounts]
    print_table(COLUMNS, [*cells, ("all", "", "", *_cells(together))] if len(cells) > 1 else cells)
    print_table(CAUSES, [_loss_cells(loss, together) for loss in together.losses])
    if together.cost_usd is None:
        sys.stdout.write("?: the list price of some slices is not known\n")


def _cells(found: Account) -> tuple[str, ...]:
    from tpuherd.output.tables import duration

    times = (duration(found.total_s), duration(found.productive_s))
    shares = (_percent(found.goodput), _percent(found.paid_goodput))
    hourly = found.usd_per_productive_h
    return (*times, *shares, _usd(found.cost_usd), "" if hourly is None else _usd(hourly))


def _loss_cells(loss: Loss, together: Account) -> tuple[str, ...]:
    from tpuherd.output.tables import duration

    share = _percent(loss.seconds / together.total_s if together.total_s else None)
    return (loss.cause, loss.after, duration(loss.seconds), share, _usd(loss.cost_usd))


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"


def _usd(amount: float | None) -> str:
    return "?" if amount is None else f"{amount:.2f} USD"


def _job_json(record: JobRecord) -> dict[str, Any]:
    return {
        "job": record.id,
        "name": record.name,
        "owner": record.owner,
        "state": record.state.value,
        "attempts": record.attempt,
    }


def _as_json(found: Account) -> dict[str, Any]:
    shares = ("goodput", "paid_goodput", "usd_per_productive_h")
    return asdict(found) | {name: getattr(found, name) for name in shares}


TASKS = (report,)
