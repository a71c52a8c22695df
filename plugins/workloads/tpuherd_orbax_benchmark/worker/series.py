"""The harness's scalars: per benchmark, operation, metric and host, one value per repeat."""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import events

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Record = dict[str, Any]
ERROR_TAG = "error"
"""The tag of the text that the harness writes in place of the values of a failed repeat."""
TOLERANCE = 1e-5
"""Relative; event files hold float32, the harness's own means come from float64."""
_TAG = re.compile(r"(?P<operation>.+?)/(?P<metric>\d_[^/]+/.+)")
_UNITS = (
    (r"_(start|end)_time$", "ms since the epoch"),
    (r"(gbps|gbytes_per_sec)$", "GiB/s"),
    (r"(_gb|gbytes)$", "GiB"),
    (r"_mb$", "MiB"),
    (r"(_count|_count_diff|_count_delta|_count_value_diff)$", "count"),
    (r"bytes_(read|written|read_per_host)(_value_diff)?$", "bytes"),
    (r"(_s|_secs?|duration)$", "s"),
    (r"_(ratio|rate)$", "ratio"),
    (r"_diff$", "count"),
)
"""Event files carry no units. From the names of the harness, see its `core/metric.py` and
`core/jax_monitoring_tags.py`; it calls MiB `MB`, and bytes `count`."""


@dataclass
class Gathered:
    """What was read, by the index of the benchmark."""

    series: dict[int, list[Record]] = field(default_factory=lambda: defaultdict(list))
    failures: dict[int, list[Record]] = field(default_factory=lambda: defaultdict(list))
    warnings: list[str] = field(default_factory=list)


def unit_of(metric: str) -> str:
    """Return the unit of a metric of the harness, empty if it is not known."""
    return next((unit for pattern, unit in _UNITS if re.search(pattern, metric)), "")


def gather(directory: Path, entries: list[Record], processes: int) -> Gathered:
    """Read the event files of all hosts.

    Args:
        directory: The `tensorboard` folder of a run.
        entries: The benchmarks, as in a process's record.
        processes: How many hosts there must be.
    """
    gathered = Gathered()
    for name in dict.fromkeys(entry["name"] for entry in entries):
        same_name = {index: entry for index, entry in enumerate(entries) if entry["name"] == name}
        for host in range(processes):
            _read_host(directory / name / f"host_{host}", same_name, host, gathered)
    return gathered


def _read_host(directory: Path, entries: dict[int, Record], host: int, gathered: Gathered) -> None:
    where = f"{directory.parent.name}, host {host}"
    files = sorted(directory.glob("events.out.tfevents.*")) if directory.exists() else []
    if not files:
        gathered.warnings.append(f"{where}: no event file, its results are missing")
        return
    if len(files) > 1:
        gathered.warnings.append(f"{where}: {len(files)} event files, only the newest is read")
    points = list(_points(files[-1], gathered.warnings, where))
    for index, entry in entries.items():
        own = [p for p in points if entry["first_step"] <= p.step < entry["first_step"] + entry["repeats"]]
        gathered.series[index] += _series(own, entry, host)
        gathered.failures[index] += _failures(own, entry, host)
    gathered.warnings += _check(directory / "_per_host_means.json", points, where)


def _points(path: Path, warnings: list[str], where: str) -> Iterator[events.Point]:
    try:
        yield from events.points(path.read_bytes())
    except events.TruncatedError:
        warnings.append(
            f"{where}: the event file ends in the middle of a record, its last values are missing"
        )


def _split(tag: str) -> tuple[str, str]:
    match = _TAG.fullmatch(tag)
    return (match["operation"], match["metric"]) if match else ("", tag)


def _series(points: list[events.Point], entry: Record, host: int) -> list[Record]:
    values: dict[str, list[float | None]] = defaultdict(lambda: [None] * entry["repeats"])
    for point in points:
        if isinstance(point.value, float) and math.isfinite(point.value):
            values[point.tag][point.step - entry["first_step"]] = point.value
    return [_one(*_split(tag), host, repeats) for tag, repeats in values.items()]


def _one(operation: str, metric: str, host: int, values: list[float | None]) -> Record:
    return {"operation": operation, "metric": metric, "unit": unit_of(metric), "host": host, "values": values}


def _failures(points: list[events.Point], entry: Record, host: int) -> list[Record]:
    return [
        {"host": host, "repeat": point.step - entry["first_step"], "text": _plain(str(point.value))}
        for point in points
        if point.tag == ERROR_TAG
    ]


def _plain(text: str) -> str:
    return text.removeprefix("<pre>").removesuffix("</pre>")


def _check(path: Path, points: list[events.Point], where: str) -> list[str]:
    """Compare the means over all repeats with those that the harness wrote itself."""
    if not path.exists():
        return [f"{where}: the harness wrote no _per_host_means.json: the suite did not end"]
    theirs = json.loads(path.read_text())
    ours: dict[str, list[float]] = defaultdict(list)
    for point in points:
        if isinstance(point.value, float):
            ours[point.tag].append(point.value)
    return [
        f"{where}: {key} is {_mean(ours[tag])} in the event file but {mean} in {path.name}"
        for key, mean in zip(theirs["keys"], theirs["means"])  # noqa: B905 - as the harness reads it itself
        if not _agree(_mean(ours[tag := key.replace("::", "/")]), mean)
    ]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def _agree(ours: float, theirs: float) -> bool:
    both_unknown = math.isnan(ours) and math.isnan(theirs)
    return both_unknown or math.isclose(ours, theirs, rel_tol=TOLERANCE, abs_tol=1e-12)
