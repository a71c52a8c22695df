"""What tpuherd itself costs: the start of its command, and its own share of a whole job.

Prints JSON, ratios first: the start against the interpreter alone, and a whole job that does nothing on four
emulated workers against one command on four workers that are there already.

    python benchmarks/overhead.py [RUNS]
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

JOB = """
cloud: emulator
tpu: {accelerator: v5litepod-16, zone: us-west4-a}
command: {cmd: "true"}
"""


def seconds(argv: list[str], runs: int) -> float:
    """Median wall time of a command."""
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        subprocess.run(argv, check=True, capture_output=True)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def tpuherd(*words: str) -> list[str]:
    return [sys.executable, "-m", "tpuherd", *words]


def whole_job(job_file: Path, runs: int) -> dict[str, float]:
    """Medians of the split that `run --json` prints, for a workload that does nothing."""
    splits = []
    for _ in range(runs):
        done = subprocess.run(
            tpuherd("run", str(job_file), "--json"), check=True, capture_output=True, text=True
        )
        splits.append(json.loads(done.stdout)["time_s"])
    return {name: round(statistics.median(split[name] for split in splits), 3) for name in splits[0]}


def one_exec(job_file: Path, runs: int) -> float:
    """One command on the workers of a job that holds them."""
    subprocess.run(tpuherd("provision", "--job", str(job_file)), check=True, capture_output=True)
    try:
        argv = tpuherd("exec", job_file.stem, "--command", "true")
        return seconds(argv, runs)
    finally:
        subprocess.run(tpuherd("release", "--job", str(job_file)), check=True, capture_output=True)


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TPUHERD_HOME"] = str(Path(folder) / "home")
        job_file = Path(folder) / "nothing.yaml"
        job_file.write_text(JOB)
        bare = seconds([sys.executable, "-c", "pass"], runs)
        start = seconds(tpuherd("--list"), runs)
        job = whole_job(job_file, runs)
        command = one_exec(job_file, runs)
    report = {
        "start_over_bare_interpreter": round(start / bare, 1),
        "job_own_share_over_one_exec": round(job["own_s"] / command, 1),
        "start_s": round(start, 3),
        "bare_interpreter_s": round(bare, 3),
        "exec_on_4_workers_s": round(command, 3),
        "job_s": job,
        "load": os.getloadavg()[0],
        "runs": runs,
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
