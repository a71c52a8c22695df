"""The inner loop on emulated workers, and gcloud, git and rsync doing the same by turns.

Starts emulated clouds of its own, one after the other, and ends them, also after Ctrl-C. Everybody shares
this machine's processors with all emulated workers. Prints JSON, ratios first; progress goes to standard
error. docs/explanation/speed.md says what the figures mean.

    python benchmarks/inner_loop.py [--workers 1,8,16,32,64] [--repeats 5] [--files 2000]
        [--skip gcloud,create] [--plot FILE.png] [--targets]
    python benchmarks/inner_loop.py --read REPORT.json [--plot FILE.png] [--targets]
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parent))

import inner_loop_once as once
from inner_loop_machine import machine, versions
from inner_loop_plot import plot
from inner_loop_sizes import size
from inner_loop_targets import judged, table
from inner_loop_values import Samples

if TYPE_CHECKING:
    from collections.abc import Sequence

PEERS = ("gcloud", "git", "rsync")
PARTS = ("commands", "edits", "create", "fleet", "start")
INTERRUPTED = "interrupted"
CREATED = 16
"""Workers of the slice that is made anew each time, if the largest number asked for allows it."""


def options(words: Sequence[str]) -> argparse.Namespace:
    """What is asked for.

    Raises:
        SystemExit: something that there is not.
    """
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--workers", type=sizes, default=[1, 8, 16, 32, 64], help="with commas: 1, 4, 8, …")
    parser.add_argument("--repeats", type=int, default=5, help="rounds of each part")
    parser.add_argument("--files", type=int, default=2000, help="files of the tree that is sent")
    parser.add_argument("--skip", type=skipped, default=set(), help=f"of {', '.join(PEERS + PARTS)}")
    parser.add_argument("--plot", type=Path, help="draw a picture into this file")
    parser.add_argument("--targets", action="store_true", help="say on standard error which are reached")
    parser.add_argument("--read", type=Path, help="measure nothing: take this report")
    found = parser.parse_args(words)
    if found.repeats < 1:
        parser.error("--repeats: at least 1")
    return found


def sizes(text: str) -> list[int]:
    """Numbers of workers that slices of type v5litepod have."""
    found = [int(word) for word in text.split(",")]
    if not set(found) <= {1, 4, 8, 16, 32, 64}:
        raise argparse.ArgumentTypeError("a slice has 1, 4, 8, 16, 32 or 64 workers")
    return found


def skipped(text: str) -> set[str]:
    found = set(text.split(","))
    if not found <= {*PEERS, *PARTS}:
        raise argparse.ArgumentTypeError(f"there are {', '.join(PEERS + PARTS)}")
    return found


def measure(asked: argparse.Namespace) -> dict[str, Any]:
    """Everything that is not left out, or as far as it came: `broken` says why it ended."""
    samples, began, load_before, broken = Samples(), time.time(), os.getloadavg(), ""
    try:
        take(samples, asked)
    except (KeyboardInterrupt, RuntimeError, subprocess.SubprocessError) as error:
        broken = str(error) or INTERRUPTED
        sys.stderr.write(f"{broken}\n")
    report: dict[str, Any] = {"ratios": samples.ratios(), "measured": samples.rows()}
    return {
        "targets": judged(report),
        **report,
        "broken": broken,
        "left_out": left_out(asked.skip),
        "files": asked.files,
        "load": {"before": load_before, "after": os.getloadavg()},
        "machine": machine(),
        "versions": versions(),
        "began_at": round(began),
        "took_s": round(time.time() - began),
    }


def take(samples: Samples, asked: argparse.Namespace) -> None:
    """Measure part by part."""
    if "start" not in asked.skip:
        once.start(samples, asked.repeats, asked.skip)
    if "fleet" not in asked.skip:
        once.fleet(samples, asked.repeats, asked.skip)
    if "create" not in asked.skip:
        once.create(samples, min(CREATED, max(asked.workers)), asked.repeats, asked.skip)
    for workers in asked.workers if not asked.skip.issuperset(("commands", "edits")) else ():
        size(samples, workers, asked.repeats, asked.files, asked.skip)


def left_out(skip: set[str]) -> dict[str, str]:
    """What was not measured, and why."""
    absent = {who: "not installed" for who in PEERS if shutil.which(who) is None}
    return absent | dict.fromkeys(sorted(skip), "not wanted")


def interrupted(*_: object) -> None:
    """A signal that would end the process at once: everything that was started is ended first."""
    raise KeyboardInterrupt


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupted)
    asked = options(sys.argv[1:])
    report = json.loads(asked.read.read_text()) if asked.read else measure(asked)
    if asked.plot:
        plot(report, asked.plot)
    if asked.targets:
        sys.stderr.write(table(judged(report)) + "\n")
    if not asked.read:
        print(json.dumps(report, indent=2))
    if broken := report.get("broken"):
        sys.exit(130 if broken == INTERRUPTED else 1)


if __name__ == "__main__":
    main()
