"""How long faults take until they are known, acted on, and over: a job of four workers for each kind.

Starts an emulated cloud of its own that gives slices at once, and ends it, also after Ctrl-C. Prints JSON,
ratios first; progress goes to standard error. docs/reference/benchmarks.md says what the figures mean.

    python benchmarks/recovery.py [--faults 30] [--kinds notice,preempted,…] [--mode tpu-vm] [--targets]
    python benchmarks/recovery.py --read REPORT.json --targets
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parent))

from inner_loop_lab import lab
from inner_loop_machine import machine, versions
from inner_loop_values import summary
from recovery_faults import KINDS, suffer
from recovery_subject import WORKERS
from recovery_targets import PEERS_AGAIN_S, judged, ratios, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recovery_faults import Sample

AT_ONCE = ("--create-s=0", "--delete-s=0")


def options(words: Sequence[str]) -> argparse.Namespace:
    """What is asked for.

    Raises:
        SystemExit: something that there is not.
    """
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--faults", type=int, default=30, help="of each kind")
    parser.add_argument(
        "--kinds", type=kinds, default=list(KINDS), help="with commas, of " + ", ".join(KINDS)
    )
    parser.add_argument("--mode", choices=list(PEERS_AGAIN_S), default="tpu-vm", help="how slices are got")
    parser.add_argument("--seed", type=int, default=1, help="draws the moments of the faults")
    parser.add_argument("--targets", action="store_true", help="say on standard error which are reached")
    parser.add_argument("--read", type=Path, help="measure nothing: take this report")
    found = parser.parse_args(words)
    if found.faults < 1:
        parser.error("--faults: at least 1")
    return found


def kinds(text: str) -> list[str]:
    found = text.split(",")
    if not set(found) <= set(KINDS):
        raise argparse.ArgumentTypeError(f"there are {', '.join(KINDS)}")
    return found


def measure(asked: argparse.Namespace) -> dict[str, Any]:
    """All kinds, one after the other."""
    began, load_before, samples = time.time(), os.getloadavg(), {}
    with lab(*AT_ONCE) as found:
        for kind in asked.kinds:
            samples[kind] = suffer(found, kind, asked.faults, asked.mode, asked.seed)
    measured = {kind: summed_up(of_kind) for kind, of_kind in samples.items()}
    return {
        "ratios": ratios(measured, asked.mode),
        "peers_again_s": PEERS_AGAIN_S[asked.mode],
        "targets": judged({"measured": measured}),
        "measured": measured,
        "mode": asked.mode,
        "faults": asked.faults,
        "workers": WORKERS,
        "seed": asked.seed,
        "load": {"before": load_before, "after": os.getloadavg()},
        "machine": machine(),
        "versions": versions(),
        "began_at": round(began),
        "took_s": round(time.time() - began),
        "samples": samples,
    }


def summed_up(samples: list[Sample]) -> dict[str, Any]:
    """The quantiles of each time."""
    return {name: summary([sample[name] for sample in samples]) for name in samples[0]}


def interrupted(*_: object) -> None:
    """A signal that would end the process at once: everything that was started is ended first."""
    raise KeyboardInterrupt


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupted)
    asked = options(sys.argv[1:])
    report = json.loads(asked.read.read_text()) if asked.read else measure(asked)
    if asked.targets:
        sys.stderr.write(table(judged(report)) + "\n")
    if not asked.read:
        print(json.dumps(report, indent=2))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
