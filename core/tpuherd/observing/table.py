"""Tables of detectors: TOML files beside the plugins that have them, and rows of the job file."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from tpuherd.errors import PluginError
from tpuherd.model.detector import Detector, Where
from tpuherd.model.failure_class import FailureClass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tpuherd.config.detection import PatternSection

KEYS = frozenset({"id", "where", "pattern", "class", "action", "source", "symptom", "confidence"})
REQUIRED = ("id", "where", "pattern", "class")


def load_table(package: str, name: str = "detectors.toml") -> tuple[Detector, ...]:
    """The table that a package brings along: a TOML file with one `[[detector]]` per row.

    Args:
        package: importable name of the package.
        name: of the file in it.

    Raises:
        PluginError: a row is wrong; the message names file, row and key.
    """
    text = files(package).joinpath(name).read_text(encoding="utf-8")
    return parse_table(text, f"{package}/{name}")


def parse_table(text: str, where: str) -> tuple[Detector, ...]:
    """Detectors from TOML text; see `load_table`."""
    try:
        rows = tomllib.loads(text).get("detector", [])
    except tomllib.TOMLDecodeError as error:
        raise PluginError(f"{where}: {error}") from error
    found = tuple(_row(row, f"{where}: row {number}") for number, row in enumerate(rows, start=1))
    check_ids(found)
    return found


def from_job(patterns: Iterable[PatternSection]) -> tuple[Detector, ...]:
    """The rows that a job file adds under `detection.patterns`; it has checked them."""
    return tuple(
        Detector(
            id=one.id,
            where=Where(one.where),
            pattern=one.pattern,
            failure=FailureClass(one.failure),
            action=one.action,
            source="the job file",
            symptom=one.symptom,
            confidence=one.confidence,
        )
        for one in patterns
    )


def check_ids(detectors: Iterable[Detector]) -> None:
    """Raises `PluginError` if two detectors have the same id: evidence names them by it."""
    seen: set[str] = set()
    for detector in detectors:
        if detector.id in seen:
            raise PluginError(f"there are two detectors {detector.id!r}; give one of them another id")
        seen.add(detector.id)


def _row(row: dict[str, Any], place: str) -> Detector:
    wrong = sorted(row.keys() - KEYS) or [key for key in REQUIRED if not row.get(key)]
    if wrong:
        raise PluginError(f"{place}: {wrong[0]}: unknown or missing; a row has {', '.join(sorted(KEYS))}")
    try:
        re.compile(row["pattern"])
        return Detector(
            id=row["id"],
            where=Where(row["where"]),
            pattern=row["pattern"],
            failure=FailureClass(row["class"]),
            action=row.get("action", ""),
            source=row.get("source", ""),
            symptom=row.get("symptom", False),
            confidence=float(row.get("confidence", 0.8)),
        )
    except (ValueError, TypeError, re.error) as error:
        raise PluginError(f"{place} ({row['id']}): {error}") from error
