"""The task that shows how failures are recognized."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd.errors import ConfigError
from tpuherd.tasks.command import command

if TYPE_CHECKING:
    from invoke.context import Context

    from tpuherd.model.detector import Detector

COLUMNS = ("id", "where", "pattern", "class", "action", "plugin")


@command(
    help={
        "job_file": "Also the rows that this job file adds.",
        "where": "Only the rows that look there, for example log or node.state.",
        "sample": "Only the rows that match this line of text.",
        "json": "Print JSON, with source, confidence and whether it is a symptom.",
    }
)
def detectors(
    _context: Context, job_file: str = "", where: str = "", sample: str = "", json: bool = False
) -> None:
    """Show the detector table: which sign means which class of failure, and how that is known."""
    from tpuherd.output.tables import print_json, print_table

    rows = [(plugin, row) for plugin, row in _rows(job_file) if not where or row.where.value == where]
    shown = [(plugin, row) for plugin, row in rows if not sample or row.expression.search(sample)]
    if json:
        print_json([_as_json(plugin, row) for plugin, row in shown])
        return
    print_table(
        COLUMNS,
        [(row.id, row.where.value, row.pattern, row.failure.value, row.action, name) for name, row in shown],
    )


def _rows(job_file: str) -> list[tuple[str, Detector]]:
    """The rows of all plugins, after those of a job file."""
    from tpuherd.hooks import GlobalHooks
    from tpuherd.observing.table import from_job
    from tpuherd.tasks.loaded import manager
    from tpuherd.tasks.opening import read

    if job_file and not Path(job_file).exists():
        raise ConfigError(f"--job-file={job_file}: there is no such file")
    added = from_job(read(Path(job_file), []).spec.detection.patterns) if job_file else ()
    return [*(("", row) for row in added), *GlobalHooks(manager()).detectors()]


def _as_json(plugin: str, row: Detector) -> dict[str, object]:
    return {
        "id": row.id,
        "where": row.where.value,
        "pattern": row.pattern,
        "class": row.failure.value,
        "action": row.action,
        "source": row.source,
        "symptom": row.symptom,
        "confidence": row.confidence,
        "plugin": plugin or None,
    }
