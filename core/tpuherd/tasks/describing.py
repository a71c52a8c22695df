"""The task that shows everything about one job."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tpuherd.tasks import opening
from tpuherd.tasks.command import command
from tpuherd.tasks.reached import JOB_HELP

if TYPE_CHECKING:
    from invoke.context import Context

    from tpuherd.model.event import Event
    from tpuherd.reach.page import Page
    from tpuherd.store.records import StageRecord

WORKER_COLUMNS = ("worker", "slice", "ssh address", "internal address")


@command(positional=["job"], help={"job": JOB_HELP, "json": "Print JSON."})
def describe(_context: Context, job: str, json: bool = False) -> None:
    """Show everything about one job on one page, from the store: no worker and no cloud is asked.

    Its file and overrides, slices and price, workers and addresses, environment, code, and the stages and
    failures of its attempts. `tpuherd status` shows how far it is, `tpuherd code.diff` what code ran.
    """
    from tpuherd.engine.describing import as_it_went
    from tpuherd.engine.opening import stored_spec
    from tpuherd.output.tables import duration, print_json, print_table
    from tpuherd.reach.page import page_of
    from tpuherd.tasks.loaded import manager

    record, store = opening.find_job(job), opening.store()
    page = page_of(store, record, stored_spec(manager(), record))
    stages = [as_it_went(row) for row in store.stages.all(record.id)]
    failures = [event for event in store.events.all(record.id) if event.kind == "diagnosis"]
    if json:
        print_json(_as_json(page, stages) | {"failures": [asdict(event) for event in failures]})
        return
    print_table(("", record.id), list(_facts(page).items()))
    if page.allocation:
        workers = page.allocation.workers
        print_table(WORKER_COLUMNS, [(w.name, w.node_id, w.ssh_address, w.internal_address) for w in workers])
    took = [duration((row.ended_at or row.started_at) - row.started_at) for row in stages]
    rows = [(row.attempt, row.stage, row.state.value, time) for row, time in zip(stages, took, strict=True)]
    print_table(("attempt", "stage", "state", "took"), rows)
    if failures:
        print_table(("attempt", "failure", "evidence"), [_failure(event) for event in failures])


def _failure(event: Event) -> tuple[int, str, str]:
    """Attempt, class, and what was seen."""
    failure, _, evidence = event.text.partition(": ")
    return event.attempt, failure, evidence.replace("; ", "\n")


def _facts(page: Page) -> dict[str, object]:
    from tpuherd.engine.describing import describe as in_words
    from tpuherd.engine.stages import Stage

    record = page.record
    return {
        "file": record.file,
        "overrides": ", ".join(record.overrides),
        "state": record.state.value,
        "message": record.message,
        "attempt": record.attempt,
        "holds": "its slices" if page.holds else "nothing",
        "slices": in_words(Stage.PROVISION, page.allocation) if page.allocation else "",
        "price per hour": _price(page.price_per_hour),
        "environment": in_words(Stage.PREPARE_ENV, page.environment) if page.environment else "",
        "code": in_words(Stage.SYNC_CODE, page.code) if page.code else "",
        "code folder": f"~/{page.code.directory}" if page.code and page.code.directory else "",
        "workload": page.spec.workload.kind,
        "logs and results": record.directory,
    }


def _price(usd: float | None) -> str:
    if usd == 0.0:
        return "nothing, it is emulated"
    return "not known" if usd is None else f"{usd:.2f} USD (list price)"


def _as_json(page: Page, stages: list[StageRecord]) -> dict[str, Any]:
    record = page.record
    return {
        "job": record.id,
        "state": record.state.value,
        "file": record.file,
        "overrides": record.overrides,
        "attempt": record.attempt,
        "holds": page.holds,
        "directory": record.directory,
        "price_usd_per_hour": page.price_per_hour,
        "allocation": asdict(page.allocation) if page.allocation else None,
        "environment": asdict(page.environment) if page.environment else None,
        "code": asdict(page.code) if page.code else None,
        "stages": [asdict(row) | {"state": row.state.value} for row in stages],
    }
