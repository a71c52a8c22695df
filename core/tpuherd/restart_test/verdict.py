"""Whether a workload that was started again has gone on where it was: what its logs say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd.restart_test.logs import all_lines

if TYPE_CHECKING:
    import re
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What came out."""

    restored: bool
    text: str


def judge(pattern: re.Pattern[str], first: Path, second: Path) -> Verdict:
    """Look for what the second attempt says about restoring, and the first did not say.

    Args:
        pattern: of the line with which it is said.
        first: folder of the attempt that was killed, with its logs.
        second: folder of the other.
    """
    said = _said(pattern, second)
    before = {text for texts in _said(pattern, first).values() for text in texts}
    new = {worker: [text for text in texts if text not in before] for worker, texts in said.items()}
    proof = {worker: texts[0] for worker, texts in new.items() if texts}
    logs = f"logs: {first} and {second}"
    if proof:
        words = "; ".join(f"{worker}: {text!r}" for worker, text in proof.items())
        return Verdict(restored=True, text=f"restored: {words}; {logs}")
    if said:
        text = next(iter(said.values()))[0]
        why = f"both runs say {text!r}, which proves nothing: give --restored a pattern with the step in it"
    else:
        why = f"no line of the second run matches {pattern.pattern!r}"
    return Verdict(restored=False, text=f"did not restore: {why}; {logs}")


def _said(pattern: re.Pattern[str], directory: Path) -> dict[str, list[str]]:
    """What was found, by worker: without the rest of the line, which may have a time in it."""
    found: dict[str, list[str]] = {}
    for worker, line in all_lines(directory):
        if match := pattern.search(line):
            found.setdefault(worker, []).append(match[0])
    return found
