"""What one supervisor costs that holds many jobs: API calls, processor, memory; and how soon it hears a wish.

Everything happens on an emulated cloud of its own, whose workers are addresses only. There is no capacity, so
all jobs wait for their queued resources, as they do for days on a real cloud. Two cases differ in the number
of jobs only: API calls per second must not grow with it. What was aimed at comes first in the JSON on
standard output; progress goes to standard error.

    python benchmarks/supervise.py [--jobs 1000] [--zones 8] [--steady-s 60]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from supervise_jobs import Jobs
from supervise_process import Supervising

ZONES = (
    "us-west4-a", "us-west4-b", "us-west1-c", "us-central1-a", "us-east1-c", "us-east5-a", "europe-west4-a",
    "europe-west4-b",
)  # fmt: skip
CPU_SHARE, RSS_MIB, WISH_S = 1.0, 500.0, 1.0
"""The targets: of a core while jobs wait, in RAM, and from a wish until the cloud is asked to delete."""
CANCELLED = 5
"""Jobs whose cancellation is timed, one after the other."""
TIMEOUT_S = 1800.0


def case(folder: Path, jobs: int, zones: int, steady_s: float) -> dict[str, Any]:
    """One supervisor with so many jobs: until all wait, while all wait, and while some are cancelled."""
    with Jobs(folder, ZONES[:zones]) as ours:
        ours.add(jobs)
        with Supervising(folder) as supervisor:
            ready_s = ours.until_all_wait(TIMEOUT_S)
            starting = supervisor.status()
            sys.stderr.write(f"{jobs} jobs in {zones} zones wait after {ready_s:.0f} s\n")
            steady = supervisor.steady(steady_s)
            wishes = [ours.cancel(number) for number in range(min(CANCELLED, jobs))]
            return {
                "jobs": jobs,
                "zones": zones,
                "driven": starting["driven"],
                "steady": steady,
                "starting": {
                    "until_all_wait_s": round(ready_s, 1),
                    "api_calls": starting["api_calls"],
                    "api_calls_per_job": round(sum(starting["api_calls"].values()) / jobs, 2),
                },
                "cancel": {
                    "until_the_cloud_is_asked_s": [round(asked, 2) for asked, _ in wishes],
                    "until_the_job_has_ended_s": [round(ended, 2) for _, ended in wishes],
                },
            }


def summary(few: dict[str, Any], many: dict[str, Any]) -> dict[str, Any]:
    """The figures that there is a target for."""
    steady = many["steady"]
    slowest = max(many["cancel"]["until_the_cloud_is_asked_s"])
    return {
        "jobs": many["jobs"],
        "api_calls_per_s_over_those_with_a_quarter_of_the_jobs": round(
            steady["api_calls_per_s"] / max(few["steady"]["api_calls_per_s"], 1e-9), 2
        ),
        "api_calls_per_s_and_zone": round(steady["api_calls_per_s"] / many["zones"], 3),
        "cpu_share": {"found": steady["cpu_share"], "target": CPU_SHARE},
        "rss_mib": {"found": steady["rss_mib"], "target": RSS_MIB},
        "wish_to_effect_s": {"found": slowest, "target": WISH_S},
        "met": steady["cpu_share"] < CPU_SHARE and steady["rss_mib"] < RSS_MIB and slowest < WISH_S,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument("--zones", type=int, default=len(ZONES), choices=range(1, len(ZONES) + 1))
    parser.add_argument("--steady-s", type=float, default=60.0)
    given = parser.parse_args()
    began = time.monotonic()
    cases = []
    for jobs in (max(1, given.jobs // 4), given.jobs):
        with tempfile.TemporaryDirectory() as folder:
            cases.append(case(Path(folder), jobs, given.zones, given.steady_s))
    report = {"summary": summary(*cases), "cases": cases, "load": os.getloadavg()[0]}
    print(json.dumps(report | {"took_s": round(time.monotonic() - began)}, indent=2))


if __name__ == "__main__":
    main()
