"""Gather what all processes of a run left behind into one JSON document: `collect DIR`.

Runs on one worker after all processes have ended. The document goes to standard output; units are per
series. Exit codes: 0, 64 wrong words, 66 nothing to collect. What is odd but no reason to throw the rest
away is in `warnings`.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from . import provenance, series
from .storage import path_of

if TYPE_CHECKING:
    from pathlib import Path

USAGE = 64
NOTHING = 66
Record = dict[str, Any]


class NothingToCollectError(Exception):
    """The folder holds no record of any process."""


def main(argv: list[str]) -> int:
    """Print the document of the run in the folder that `argv` names; return the exit code."""
    if len(argv) != 1:
        sys.stderr.write("tpuherd: usage: collect DIR\n")
        return USAGE
    try:
        document = collect(path_of(argv[0]))
    except NothingToCollectError as error:
        sys.stderr.write(f"tpuherd: {error}\n")
        return NOTHING
    sys.stdout.write(json.dumps(document, allow_nan=False) + "\n")
    return 0


def collect(directory: Path) -> Record:
    """Return the document of one run.

    Args:
        directory: The `--output_directory` of the run.

    Returns:
        `schema`, `topology`, `config`, `versions`, `variables`, `processes` (one each), `benchmarks` (one
        per point of the sweep, each with `series` and `failures`) and `warnings`.

    Raises:
        NothingToCollectError: No process has written its record.
    """
    records = _records(directory / "provenance")
    if not records:
        raise NothingToCollectError(
            f"{directory}: no provenance/process_*.json: no process got as far as its devices"
        )
    first = records[0]
    gathered = series.gather(directory / "tensorboard", first["benchmarks"], first["topology"]["processes"])
    benchmarks = [
        _benchmark(index, entry, records, gathered) for index, entry in enumerate(first["benchmarks"])
    ]
    return {
        "schema": provenance.SCHEMA,
        "topology": {key: value for key, value in first["topology"].items() if key != "process_index"},
        "config": first["config"],
        "versions": first["versions"],
        "variables": first["variables"],
        "processes": [_process(record) for record in records],
        "benchmarks": benchmarks,
        "warnings": [*_oddities(records), *gathered.warnings],
    }


def _records(directory: Path) -> list[Record]:
    paths = list(directory.glob("process_*.json")) if directory.exists() else []
    return sorted(
        (json.loads(path.read_text()) for path in paths), key=lambda r: r["topology"]["process_index"]
    )


def _process(record: Record) -> Record:
    kept = ("hostname", "peak_rss_bytes", "cpu_s", "wall_s", "exit_code")
    return {"index": record["topology"]["process_index"], **{key: record[key] for key in kept}}


def _benchmark(index: int, entry: Record, records: list[Record], gathered: series.Gathered) -> Record:
    described = {key: value for key, value in entry.items() if key not in ("first_step", "peak_rss_bytes")}
    peaks = [_peaks(index, record) for record in records if len(record["benchmarks"]) > index]
    return {**described, "series": [*gathered.series[index], *peaks], "failures": gathered.failures[index]}


def _peaks(index: int, record: Record) -> Record:
    """Return the peak memory of one process during a benchmark, in the form of a metric of the harness."""
    peaks = record["benchmarks"][index]["peak_rss_bytes"]
    return {
        "operation": "all",
        "metric": "7_memory/host_peak_rss_gb",
        "unit": "GiB",
        "host": record["topology"]["process_index"],
        "values": [peak / 2**30 for peak in peaks],
    }


def _oddities(records: list[Record]) -> list[str]:
    """Return what is odd about the records, one sentence each."""
    return [*_missing(records), *_differing(records), *_merged(records[0]), *_cumulative(records)]


def _missing(records: list[Record]) -> list[str]:
    expected = set(range(records[0]["topology"]["processes"]))
    missing = sorted(expected - {record["topology"]["process_index"] for record in records})
    return [f"process {index} left no record: it did not reach its end" for index in missing]


def _differing(records: list[Record]) -> list[str]:
    """A config has another path on every worker; its content has to be the same."""
    first, *others = [{**record, "config": record["config"]["sha256"]} for record in records]
    return [
        f"process {other['topology']['process_index']}: its {key} differ from those of the first process"
        for other in others
        for key in ("versions", "variables", "config")
        if other[key] != first[key]
    ]


def _merged(record: Record) -> list[str]:
    names = dict.fromkeys(entry["name"] for entry in record["benchmarks"] if entry["first_step"] > 0)
    if not names:
        return []
    warning = (
        f"{', '.join(names)}: the harness gave each of these names to several benchmarks (its hash omits the"
        " ICI/DCN split); told apart here by their order, but its TensorBoard summary and checkpoint folders"
        " mix them"
    )
    return [warning]


def _cumulative(records: list[Record]) -> list[str]:
    if all(record["peaks_reset"] for record in records):
        return []
    return ["peak host memory is the highest since the process started: this kernel does not let it be reset"]
