"""Play plans of faults, several at a time, and say which promises were broken."""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
import time
from concurrent.futures import as_completed
from pathlib import Path
from typing import TYPE_CHECKING

from chaotic.kinds import DRAW
from chaotic.planning import plan_of
from chaotic.rounds import Rounds, cpu_of_children_s

if TYPE_CHECKING:
    from chaotic.values import Plan


def main() -> int:
    """Play what the command line asks for; 1 if a promise was broken."""
    asked = _arguments()
    wanted = (seed for seed in itertools.count(asked.first_seed) if _fits(plan_of(seed), asked.only))
    seeds = list(itertools.islice(wanted, asked.seeds))
    if asked.plan:
        print("\n".join(str(plan_of(seed)) for seed in seeds))
        return 0
    folder = asked.folder or Path(tempfile.mkdtemp(prefix="chaos-"))
    folder.mkdir(parents=True, exist_ok=True)
    return 1 if _play(folder, seeds, asked.at_a_time) else 0


def _fits(plan: Plan, only: str) -> bool:
    return not only or only in plan.kinds


def _play(folder: Path, seeds: list[int], at_a_time: int) -> list[int]:
    """Returns the seeds that broke something."""
    began, broken = time.monotonic(), []
    rounds = Rounds(folder, at_a_time)
    try:
        for told in as_completed([rounds.ask(seed) for seed in seeds]):
            result = told.result()
            print(result, flush=True)
            broken += [result.played.plan.seed] if result.broken else []
    finally:
        rounds.close()
    took_s, cpu_s = time.monotonic() - began, rounds.cpu_s + cpu_of_children_s()
    print(
        f"{len(seeds)} seeds in {took_s:.0f} s, {cpu_s:.0f} s of CPU time; broken: {sorted(broken) or 'none'}"
    )
    return broken


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/chaos", description=__doc__)
    parser.add_argument("--first-seed", type=int, default=0, help="number of the first seed")
    parser.add_argument("--seeds", type=int, default=1, help="how many")
    parser.add_argument("--at-a-time", type=int, default=4, help="how many are played at the same time")
    parser.add_argument("--only", default="", choices=["", *DRAW], help="leave out plans without this kind")
    parser.add_argument("--plan", action="store_true", help="only print the plans")
    parser.add_argument("--folder", type=Path, help="where everything is kept; default: a temporary folder")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
