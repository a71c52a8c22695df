"""What it takes until all workers have the code: the first time, and after a change of one file.

Starts real SSH servers on loopback addresses, each with a home of its own, and compares with what people do
by hand: `git fetch` on every worker after a push, and rsync to every worker. All share this machine's
processors. Prints JSON, ratios first; a `null` is something that this machine does not have, or that was left
out.

    python benchmarks/code_sync.py [--workers 1,8,32] [--files 2000] [--edits 5] [--without git,rsync]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "remote"))

from farm import Farm, free_port

from tpuherd.code.sending import send
from tpuherd.code.snapshot import take_snapshot
from tpuherd.remote import RemoteWorkers, quote

TIMEOUT_S = 600.0
IDENTITY = ("-c", "user.name=t", "-c", "user.email=t@t")
SETTLED = """
cd ~/.tpuherd/code/.own
until read -r _ last _ < head && [ "$(ls -d copies/* | grep -c "^copies/$last")" = 2 ]; do sleep 1; done
"""
"""Waits until a worker has made ready for its next snapshot; looks seldom: that is low priority."""
TICKS = os.sysconf("SC_CLK_TCK")
FETCH = "cd ~/fetched && git fetch -q --depth=1 origin main && git checkout -q --detach FETCH_HEAD"
CLONE = (
    "rm -rf ~/fetched && git init -q ~/fetched && cd ~/fetched && git remote add origin {origin} && " + FETCH
)


@dataclass
class Bench:
    """A tree, workers, and connections that are open already."""

    folder: Path
    farm: Farm
    remote: RemoteWorkers
    tree: Path
    origin: Path

    def git(self, *words: str) -> None:
        subprocess.run(["git", "-C", self.tree, *IDENTITY, *words], check=True, capture_output=True)

    def run(self, command: str) -> None:
        self.remote.run(command, timeout_s=TIMEOUT_S).require(RuntimeError, command)  # type: ignore[type-var]

    def edit(self) -> None:
        (self.tree / "d1" / "f1.py").write_bytes(random.randbytes(2000))

    def spent(self) -> tuple[float, float]:
        """Processor seconds so far of this process with its children, and of all workers' SSH sessions."""
        times = os.times()
        processes = [pid for server in self.farm.servers for pid in (server.process.pid, *server.sessions())]
        return sum(times[:4]), sum(map(processor_s, processes))

    def since(self, before: tuple[float, float], what: str) -> dict[str, float]:
        """What was spent since then, by name; of the workers, that of one."""
        here, there = (after - start for after, start in zip(self.spent(), before, strict=True))
        return {
            f"{what}_client_cpu_s": here,
            f"{what}_cpu_s_per_worker": there / len(self.farm.servers),
        }

    def settle(self) -> None:
        """People take longer between two edits than a worker to copy a tree."""
        self.run(quote(["sh", "-c", SETTLED]))

    def sync(self) -> None:
        """One snapshot to all workers, as the plugin does it."""
        job: Any = SimpleNamespace(
            directory=self.folder / "job",
            session=SimpleNamespace(workers=lambda *_: self.remote, note=lambda _: None),
            cloud=SimpleNamespace(ssh=None),
            spec=SimpleNamespace(code=SimpleNamespace(editable=False, keep_snapshots=5)),
        )
        allocation: Any = SimpleNamespace(workers=self.farm.workers, incarnation="bench")
        send(job, allocation, take_snapshot(self.tree), kind="worktree", root=self.tree)

    def fetch(self, command: str) -> None:
        """What a commit, a push and a fetch on every worker take."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "edit")
        self.git("push", "-q", str(self.origin), "HEAD:main")
        self.run(command)

    def rsync(self) -> None:
        """One rsync per worker, all at once, over connections that OpenSSH keeps open."""
        with ThreadPoolExecutor(len(self.farm.servers)) as pool:
            for code in pool.map(self._rsync, self.farm.servers):
                if code:
                    raise RuntimeError(f"rsync ended with {code}")

    def _rsync(self, server: Any) -> int:
        shared = (
            f"-o ControlMaster=auto -o ControlPersist=60 -o ControlPath={self.folder}/cm-{server.address}"
        )
        ssh = f"ssh -F none -p {server.port} -i {self.farm.key} -o StrictHostKeyChecking=no {shared} "
        ssh += "-o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
        argv = ["rsync", "-a", "--delete", "--filter=:- .gitignore", "--exclude=.git", "-e", ssh]
        with_path = [
            *argv,
            f"--rsync-path={shutil.which('rsync')}",
            f"{self.tree}/",
            f"{server.address}:{server.folder}/home/synced/",  # the login folder is that of this machine
        ]
        return subprocess.run(with_path, stderr=subprocess.DEVNULL).returncode

    def close(self) -> None:
        self.remote.close()
        for server in self.farm.servers:
            control = f"ControlPath={self.folder}/cm-{server.address}"
            subprocess.run(["ssh", "-o", control, "-O", "exit", "x"], capture_output=True)
        self.farm.stop()


def make(folder: Path, workers: int, files: int) -> Bench:
    farm = Farm(folder / "farm", free_port("127.9.0.1"))
    farm.folder.mkdir()
    tree = folder / "tree"
    noise = random.Random(1)
    for number in range(files):
        path = tree / f"d{number % 80}" / f"f{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(noise.randbytes(2800).hex().encode())  # compresses to half, as code may
    origin = folder / "origin.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", origin], check=True)
    farm.start(workers)
    remote = RemoteWorkers(farm.workers, farm.access, folder / "known_hosts")
    made = Bench(folder=folder, farm=farm, remote=remote, tree=tree, origin=origin)
    made.git("init", "-q", "-b", "main")
    made.git("add", "-A")
    made.git("commit", "-qm", "first")
    remote.connect(60)
    return made


def processor_s(process: int) -> float:
    """Of a process and those of its children that have ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / TICKS


def timed(work: Callable[[], None]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def measure(bench: Bench, edits: int, left_out: set[str]) -> dict[str, Any]:
    """Seconds of each way: the first time, and the median of some edits of one file."""
    result: dict[str, Any] = {"load_before": round(os.getloadavg()[0], 2)}
    result["true_s"] = statistics.median(timed(lambda: bench.run("true")) for _ in range(edits))
    spent = bench.spent()
    result["first_s"] = timed(bench.sync)
    result |= bench.since(spent, "first")
    result["make_ready_s"] = timed(bench.settle)
    result["edit_s"] = of_edits(bench, edits, bench.sync, first=bench.settle)
    bench.settle()
    bench.edit()
    spent = bench.spent()
    bench.sync()
    result |= bench.since(spent, "edit")
    result["edit_soon_s"] = of_edits(bench, edits, bench.sync)
    bench.settle()
    result["git_first_s"] = result["git_edit_s"] = result["rsync_first_s"] = result["rsync_edit_s"] = None
    if "git" not in left_out:
        clone = CLONE.format(origin=f"file://{bench.origin}")
        result["git_first_s"] = timed(lambda: bench.fetch(clone))
        result["git_edit_s"] = of_edits(bench, edits, lambda: bench.fetch(FETCH))
    if "rsync" not in left_out and shutil.which("rsync"):
        result["rsync_first_s"] = timed(bench.rsync)
        result["rsync_edit_s"] = of_edits(bench, edits, bench.rsync)
    return {name: value if value is None else round(value, 4) for name, value in result.items()}


def of_edits(
    bench: Bench, edits: int, work: Callable[[], None], first: Callable[[], None] = lambda: None
) -> float:
    """Median seconds of the work, each time after an edit, which comes after what is to be done first."""
    times = []
    for _ in range(edits):
        first()
        bench.edit()
        times.append(timed(work))
    return statistics.median(times)


def ratios(of: dict[str, Any]) -> dict[str, float | None]:
    """How many times as long the other ways take."""
    pairs = [(other, what) for what in ("edit", "first") for other in ("git", "rsync")]
    times = {
        f"{other}_over_tpuherd_{what}": (of[f"{other}_{what}_s"], of[f"{what}_s"]) for other, what in pairs
    }
    return {name: round(theirs / ours, 1) if theirs else None for name, (theirs, ours) in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", default="1,8,32")
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--edits", type=int, default=5)
    parser.add_argument("--without", default="")
    options = parser.parse_args()
    results = {}
    for workers in map(int, options.workers.split(",")):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
            os.environ["TPUHERD_HOME"] = f"{name}/home"
            bench = make(Path(name), workers, options.files)
            try:
                results[workers] = measure(bench, options.edits, set(options.without.split(",")))
            finally:
                bench.close()
    report = {
        "ratios": {workers: ratios(result) for workers, result in results.items()},
        "workers": results,
        "files": options.files,
        "processors": os.cpu_count(),
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
