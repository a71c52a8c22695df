"""A tool of `activations.py` as a process that runs a lap when it is told to, and what its laps say."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from runpy import run_path
from threading import Timer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from activations_work import Work

LIMIT_S = 600
"""For a tool to get ready, and for a lap with what it needs before; it is killed then."""
WORKER = Path(__file__).parents[1] / "plugins" / "workloads" / "tpuherd_activations" / "worker"
OURS = ("bare", "bare_in_turn", "tpuherd")
"""These get the variables with which workers start."""
CHILD = Path(__file__).with_name("activations_child.py")


def per_s(lap: dict[str, Any]) -> float:
    return float(lap["tokens"] / lap["wall_s"])


def per_cpu_s(lap: dict[str, Any]) -> float:
    return float(lap["tokens"] / lap["cpu_s"])


class Tool:
    """One that cannot run has a `problem`."""

    def __init__(self, name: str, work: Work) -> None:
        self.name, self.problem = name, ""
        self.laps: list[dict[str, Any]] = []
        argv = [sys.executable, str(CHILD), name, str(work.folder), work.size, work.dtype, work.hooks]
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115  # until `end`
        extra = run_path(str(WORKER / "variables.py"))["VARIABLES"] if name in OURS else {}
        self._process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env=os.environ | extra,
        )
        self._answer()  # it is ready

    def lap(self) -> None:
        if not self.problem and self._process.stdin:
            self._process.stdin.write("\n")
            self._process.stdin.flush()
            self.laps += [json.loads(answer) for answer in [self._answer()] if answer]

    def end(self) -> None:
        self._process.communicate()
        self._errors.close()

    def middle(self, value: Callable[[dict[str, Any]], float]) -> float:
        return statistics.median(map(value, self.laps))

    def over(self, other: Tool, value: Callable[[dict[str, Any]], float]) -> float:
        """The ratio of laps that ran one after the other; of several turns the first."""
        turns = len(self.laps) // len(other.laps)
        pairs = zip(self.laps[::turns], other.laps, strict=True)
        return round(statistics.median(value(mine) / value(theirs) for mine, theirs in pairs), 3)

    @property
    def peak_gib(self) -> float:
        return float(self.laps[-1]["peak_bytes"] / 2**30)

    def figures(self) -> dict[str, Any]:
        if self.problem:
            return {"problem": self.problem}
        last = self.laps[-1]
        return {
            "tokens_per_s": round(self.middle(per_s)),
            "tokens_per_cpu_s": round(self.middle(per_cpu_s)),
            "peak_gib": round(self.peak_gib, 2),
            "bytes_per_token": round(last["size_bytes"] / last["tokens"], 1),
            "tokens": last["tokens"],
            "mfu": last["mfu"],
        }

    def _answer(self) -> str:
        """A line of its; none if it has ended, and `problem` says why."""
        watch = Timer(LIMIT_S, self._process.kill)
        watch.start()
        found = self._process.stdout.readline().strip() if self._process.stdout else ""
        watch.cancel()
        if not found:
            self._process.wait()
            self._errors.seek(0)
            lines = self._errors.read().strip().splitlines()
            self.problem = lines[-1] if lines else f"exit code {self._process.returncode}"
        return found
