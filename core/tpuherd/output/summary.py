"""The end of a run: results, where they are, and where the time went."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from tpuherd.engine.recorder import recorded
from tpuherd.engine.stages import Stage
from tpuherd.output.reporter import paint
from tpuherd.output.split import time_split
from tpuherd.output.tables import print_json
from tpuherd.restart_test.report import report

if TYPE_CHECKING:
    from tpuherd.engine.outcomes import Outcome
    from tpuherd.model.outcome import CollectedResults
    from tpuherd.store.records import JobRecord
    from tpuherd.store.store import Store


def print_summary(store: Store, record: JobRecord, outcome: Outcome, *, json: bool) -> None:
    """Print how a job ended: for people, or as JSON."""
    results = results_of(store, record)
    split = time_split(store.events.all(record.id))
    if json:
        print_json(
            {
                "job": record.id,
                "state": outcome.state.value,
                "exit_code": int(outcome.exit_code),
                "message": outcome.message,
                "logs": record.directory,
                "results": asdict(results) if results else None,
                "restart_test": report(store, record.id),
                "time_s": asdict(split) | {"own_s": split.own_s},
            }
        )
        return
    if results:
        sys.stdout.write(f"\n{results.summary}\n\nresults: {results.directory}\n")
    color = "31" if outcome.exit_code else "32"
    head = paint(f"job {record.id} {outcome.state.value}", color, sys.stderr)
    sys.stdout.flush()
    sys.stderr.write(f"{head}{': ' if outcome.message else ''}{outcome.message}\n")
    sys.stderr.write(f"logs: {record.directory}\ntime: {split}\n")


def results_of(store: Store, record: JobRecord) -> CollectedResults | None:
    """What the newest attempt of a job has brought home; `None`: nothing."""
    attempt = store.jobs.get(record.id).attempt
    found: CollectedResults | None = recorded(store.stages, record.id, attempt, Stage.COLLECT)
    return found
