"""Progress for people: stages, notes, problems and log lines, written as they come."""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from tpuherd.model.event import Event

COLORS = {"dim": "2", "red": "31", "green": "32", "yellow": "33", "bold": "1"}
MARKS = {"stage.ended": ("✓", "green"), "stage.failed": ("✗", "red")}
"""How ends of stages are marked, by the kind of the event."""
SENTENCES = {
    "workload.started": "the workload runs",
    "workload.ended": "the workload has ended",
    "workload.stopping": "stopping the workload",
}
"""How events about the workload read; their text says where."""
WORKER_COLORS = ("36", "35", "34", "33", "32", "96", "95", "94")
"""ANSI codes that tell workers apart."""


class Reporter:
    """Writes progress to one stream and log lines to another; safe to use from several threads."""

    def __init__(self, progress: TextIO | None = None, logs: TextIO | None = None) -> None:
        """Choose the streams.

        Args:
            progress: stages, notes and problems; default: standard error.
            logs: the workers' log lines; default: standard output.
        """
        self._progress = progress or sys.stderr
        self._logs = logs or sys.stdout
        self._lock = threading.RLock()  # the handler of a second Ctrl-C may interrupt that of the first
        self._began: dict[str, float] = {}

    def event(self, event: Event) -> None:
        """Show an event of the job: stages with how long they took; other kinds as they are."""
        stage, _, detail = event.text.partition(": ")
        if event.kind == "stage.started":
            self._began[stage] = event.at
            self._write(self._progress, f"{self._paint('▸', 'bold')} {stage}")
        elif event.kind in MARKS:
            sign, color = MARKS[event.kind]
            said = f"{stage:<12} {detail.partition(chr(10))[0]} {self._took(event)}"
            self._write(self._progress, f"{self._paint(sign, color)} {said}")
        elif event.kind in SENTENCES:
            self.note(f"{SENTENCES[event.kind]} {event.text}")
        elif event.kind != "job.ended":  # which the end of the run tells in full
            self.note(f"{event.kind}: {event.text.splitlines()[0]}")

    def _took(self, event: Event) -> str:
        """How long the stage of an event took."""
        began = self._began.get(event.text.partition(":")[0], event.at)
        return self._paint(f"({event.at - began:.1f} s)", "dim")

    def note(self, text: str) -> None:
        """Say how far a long step is, or what is worth knowing."""
        self._write(self._progress, self._paint(f"  · {text}", "dim"))

    def problem(self, text: str) -> None:
        """Say what went wrong."""
        self._write(self._progress, f"{self._paint('✗', 'red')} {text}")

    def worker_line(self, worker: str, text: str) -> None:
        """Write one line of a worker's log with the worker's name in front."""
        self._write(self._logs, f"{self._worker_name(worker)} {self._paint('│', 'dim', self._logs)} {text}")

    def show(self, text: str) -> None:
        """Write a result: a table, a sentence."""
        self._write(self._logs, text)

    def _write(self, stream: TextIO, text: str) -> None:
        """A reader that went away (a closed pipe, a closed terminal) must not stop the job."""
        with self._lock:
            try:
                stream.write(text + "\n")
                stream.flush()
            except (OSError, ValueError, RuntimeError):  # the last: a signal's handler came in between
                pass

    def _paint(self, text: str, color: str, stream: TextIO | None = None) -> str:
        return paint(text, COLORS[color], stream or self._progress)

    def _worker_name(self, worker: str) -> str:
        number = int(worker.lstrip("w") or 0)
        return paint(f"{worker:<3}", WORKER_COLORS[number % len(WORKER_COLORS)], self._logs)


def paint(text: str, code: str, stream: TextIO) -> str:
    """The text in a color if the stream is a terminal; `NO_COLOR` and `FORCE_COLOR` are honoured."""
    wanted = os.environ.get("FORCE_COLOR") or (stream.isatty() and not os.environ.get("NO_COLOR"))
    return f"\033[{code}m{text}\033[0m" if wanted else text
