"""The `results.*` tasks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from invoke.exceptions import Exit

from tpuherd import ConfigError, ExitCode
from tpuherd.tasks.command import command

if TYPE_CHECKING:
    from invoke.context import Context

    from tpuherd_orbax_benchmark.results import BenchmarkResults

WHERE = "a results.json, the folder of one, or a job's id or name"


@command(positional=["results"], help={"results": f"Results: {WHERE}.", "json": "Print JSON: every number."})
def show(_context: Context, results: str, json: bool = False) -> None:
    """Show the table of a run's results."""
    from tpuherd_orbax_benchmark.documents import to_json
    from tpuherd_orbax_benchmark.table import render

    found = _load(results)
    sys.stdout.write(to_json(found) + "\n" if json else render(found))


@command(
    positional=["before", "after"],
    help={
        "before": f"Results to measure against: {WHERE}.",
        "after": "Results to judge, likewise.",
        "fail_above": "Exit with code 11 if a figure became more than this many times worse: 1.1.",
        "json": "Print JSON.",
    },
)
def compare(
    _context: Context,
    before: str,
    after: str,
    fail_above: float = 0.0,
    json: bool = False,
) -> None:
    """Compare the results of two runs, the worst change first; for CI: `--fail-above 1.1`."""
    from tpuherd_orbax_benchmark.compare import compare as compare_results

    comparison = compare_results(_load(before), _load(after))
    worse = comparison.beyond(fail_above) if fail_above else ()
    sys.stdout.write(comparison.to_json() + "\n" if json else comparison.render())
    if worse:
        count = f"{len(worse)} of {len(comparison.pairs)} figures"
        sys.stderr.write(f"{count} are more than {fail_above} times worse\n")
        raise Exit(code=ExitCode.COMPARISON_FAILED)


def _load(word: str) -> BenchmarkResults:
    from tpuherd_orbax_benchmark.documents import from_json

    path = _path(word)
    try:
        return from_json(path.read_text(), str(path))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}; expected {WHERE}") from error


def _path(word: str) -> Path:
    path = Path(word)
    if path.is_dir():
        return path / "results.json"
    return path if path.exists() or path.suffix else _of_job(word)


def _of_job(word: str) -> Path:
    from tpuherd.tasks.opening import find_job

    record = find_job(word)
    return Path(record.directory) / f"attempt-{record.attempt}" / "results" / "results.json"
