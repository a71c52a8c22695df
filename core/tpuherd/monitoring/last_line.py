"""The newest line of an attempt's logs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tpuherd.engine.local_log import log_tail

if TYPE_CHECKING:
    from pathlib import Path

SEQUENCES = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)?|[()].|.)")
"""What programs send to terminals besides text."""


def last_line(attempt_directory: Path) -> str:
    """The last line that is not empty, of the worker that printed last; empty if nobody printed."""
    logs = {path: path.stat().st_mtime for path in attempt_directory.glob("worker-*.log")}
    if not logs:
        return ""
    newest = max(logs, key=lambda path: logs[path])
    lines = [text for line in log_tail(newest).split("\n") if (text := plain(line))]
    return f"w{newest.stem.partition('-')[2]} {lines[-1]}" if lines else ""


def plain(line: str) -> str:
    """A line without what would disturb a terminal; of a progress bar, what is seen at last."""
    shown = SEQUENCES.sub("", line).rstrip("\r").rpartition("\r")[2]
    return "".join(char if char.isprintable() else " " for char in shown).strip()
