"""Results as text: the document of the workers, JSON files, CSV."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from typing import Any

from tpuherd.errors import ConfigError, WorkloadError
from tpuherd_orbax_benchmark.results import BenchmarkResults, Measurement, Run

SCHEMA = "tpuherd.orbax_benchmark/1"
"""The kind and version of the files that `to_json` makes."""
COLLECTED_SCHEMA = 1
"""The version of the worker side's document."""
COLUMNS = ("benchmark", "mesh", "options", "operation", "metric", "host", "repeat", "value", "unit")


def from_collected(text: str, run: Run) -> BenchmarkResults:
    """Read the document that the worker side's `collect` printed.

    Args:
        text: The JSON document.
        run: What the controller knows about the job.

    Raises:
        WorkloadError: It is no such document.
    """
    try:
        document = json.loads(text)
        if document.pop("schema", None) != COLLECTED_SCHEMA:
            raise ValueError(f"its schema is not {COLLECTED_SCHEMA}")
        return _validated({**document, "run": dataclasses.asdict(run)})
    except (ValueError, AttributeError, TypeError) as error:
        raise WorkloadError(f"the results that worker 0 collected cannot be read: {error}") from error


def to_json(results: BenchmarkResults) -> str:
    """Return the results as a JSON document, for `from_json`."""
    return json.dumps({"schema": SCHEMA, **dataclasses.asdict(results)}, indent=1, allow_nan=False)


def from_json(text: str, source: str = "results") -> BenchmarkResults:
    """Read what `to_json` made.

    Args:
        text: The JSON document.
        source: Its name in error messages, for example the file.

    Raises:
        ConfigError: It is no such document, or of another schema version.
    """
    try:
        document = json.loads(text)
        schema = document.pop("schema", None)
        if schema != SCHEMA:
            raise ValueError(f"schema is {schema!r}, this version of tpuherd reads {SCHEMA!r}")
        return _validated(document)
    except (ValueError, AttributeError, TypeError) as error:
        raise ConfigError(f"{source}: not a results file of an Orbax benchmark: {error}") from error


def to_csv(results: BenchmarkResults) -> str:
    """Return every measurement as one line, with a header; options as JSON, see `COLUMNS`."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_line(measurement) for measurement in results.measurements)
    return target.getvalue()


def _validated(document: dict[str, Any]) -> BenchmarkResults:
    from pydantic import TypeAdapter

    return TypeAdapter(BenchmarkResults).validate_python(document)


def _line(one: Measurement) -> tuple[str | int | float, ...]:
    mesh = one.mesh.label if one.mesh else ""
    options = json.dumps(one.options, sort_keys=True)
    return one.benchmark, mesh, options, one.operation, one.metric, one.host, one.repeat, one.value, one.unit
