"""Looking through the ends of logs, as they were kept on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.engine.local_log import log_file
from tpuherd.engine.log_times import LogTimes
from tpuherd.model.detector import Fact, Finding, Where

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from tpuherd.model.detector import Detector

TAIL_BYTES = 64 * 1024
"""How much of a log's end counts: what was printed long before did not end the workload."""
LONGEST_LINE = 2000
"""Characters of a line that are looked at."""
BLOCK_BYTES = 1 << 20


def log_findings(
    attempt_directory: Path, workers: Iterable[int], detectors: Sequence[Detector]
) -> list[Finding]:
    """For each worker and each detector the last line that matches, if one does.

    Args:
        attempt_directory: where the logs were kept; a log that is missing has no findings.
        workers: whose logs.
        detectors: rows of any place; only those of logs count.
    """
    mine = [one for one in detectors if one.where is Where.LOG]
    found = [one for worker in workers for one in _of_worker(attempt_directory, worker, mine)]
    return sorted(found, key=lambda one: one.fact.at or 0.0)


def _of_worker(directory: Path, worker: int, detectors: Sequence[Detector]) -> list[Finding]:
    path = log_file(directory, worker)
    try:
        offset, number, lines = _tail(path)
    except OSError:
        return []
    facts = _facts(path, worker, offset, number, lines)
    matched = ((one, next((f for f in facts if one.expression.search(f.text)), None)) for one in detectors)
    return [Finding(detector=one, fact=fact) for one, fact in matched if fact is not None]


def _facts(path: Path, worker: int, offset: int, number: int, lines: list[bytes]) -> list[Fact]:
    """The lines, the last one first."""
    times, made = LogTimes(path), []
    for line in lines:
        text = line.decode(errors="replace").rstrip("\r")[:LONGEST_LINE]
        made.append(Fact(where=Where.LOG, text=text.strip(), worker=worker, line=number, at=times.at(offset)))
        offset, number = offset + len(line) + 1, number + 1
    return made[::-1]


def _tail(path: Path) -> tuple[int, int, list[bytes]]:
    """Offset and number of the first whole line near the end, and the lines from there on."""
    with path.open("rb") as file:
        start = max(0, path.stat().st_size - TAIL_BYTES)
        number = 1 + _newlines(file, start)
        data = file.read()
    if start:
        cut = data.find(b"\n") + 1
        start, number, data = start + cut, number + bool(cut), data[cut:]
    return start, number, data.removesuffix(b"\n").split(b"\n")


def _newlines(file: object, end: int) -> int:
    """Newlines before an offset; the file is left there."""
    count, left = 0, end
    while left and (block := file.read(min(BLOCK_BYTES, left))):  # type: ignore[attr-defined]
        count, left = count + block.count(b"\n"), left - len(block)
    return count
