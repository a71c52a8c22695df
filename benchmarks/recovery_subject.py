"""A job to which faults happen: its work notes when it begins and when it is told to end."""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from inner_loop_commands import TIMEOUT_S, ours

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inner_loop_lab import Lab

ZONE = "us-west4-a"
ACCELERATOR, WORKERS = "v5litepod-16", 4
PATIENCE_S = 180.0
"""How long anything may take that is waited for."""
PAUSE_S = 0.005

WORK = """
export LC_ALL=C; notes={notes}/$TPUHERD_STAGE; mkdir -p $notes
note() {{ echo $2 > $notes/$1-$TPUHERD_WORKER; }}
trap 'note told $EPOCHREALTIME; exit 143' TERM
echo '{{"checkpoint_step": '$TPUHERD_STAGE'}}' > $TPUHERD_ATTEMPT_DIR/progress.json
note begun $EPOCHREALTIME
[ $TPUHERD_STAGE -le {faults} ] || exit 0
while true; do sleep 3600 & wait; done
"""
"""Each attempt has come further than the one before, so that no budget is used up and no pause grows."""


class Subject:
    """One job that survives so many faults, and then ends."""

    def __init__(self, lab: Lab, name: str, faults: int, mode: str) -> None:
        self._lab = lab
        self.name = name
        self._notes = lab.shared / "notes" / name
        self._file = lab.folder / f"{name}.yaml"
        self._file.write_text(yaml.safe_dump(self._job(faults, mode)))
        self._log = lab.folder / f"{name}.log"
        self._controller: subprocess.Popen[bytes] | None = None

    def begun(self, stage: int) -> float:
        """When the work of an attempt had begun on all workers."""
        return max(self._noted("begun", stage))

    def told(self, stage: int) -> float:
        """When the work of an attempt had got SIGTERM on all workers."""
        return max(self._noted("told", stage))

    def processes(self, stage: int) -> dict[int, list[int]]:
        """Worker to the processes of its work, as this machine numbers them; workers number them anew."""
        marks = {f"TPUHERD_JOB_ID={self._job_id()}".encode(), f"TPUHERD_STAGE={stage}".encode()}
        found: dict[int, list[int]] = {worker: [] for worker in range(WORKERS)}
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                variables = set((folder / "environ").read_bytes().split(b"\0"))
                if marks <= variables:
                    (worker,) = (v for v in variables if v.startswith(b"TPUHERD_WORKER="))
                    found[int(worker.partition(b"=")[2])].append(int(folder.name))
        return found

    def events(self) -> list[dict[str, Any]]:
        """All that was recorded of it, oldest first."""
        found: list[dict[str, Any]] = json.loads(self._lab.ok("events", self.name, "--json"))
        return found

    @contextmanager
    def running(self) -> Iterator[None]:
        """The job; it has ended by itself afterwards, or it is cancelled."""
        with self._log.open("w") as log:
            self._controller = subprocess.Popen(
                ours("run", self._file),
                env=self._lab.environment,
                cwd=self._lab.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for us: we cancel the job
            )
        try:
            yield
            code = self._controller.wait(PATIENCE_S)
            if code:
                raise RuntimeError(f"the job has ended with {code}:\n{self._log.read_text()[-4000:]}")
        finally:
            if self._controller.poll() is None:
                self._cancel(self._controller)

    def _cancel(self, controller: subprocess.Popen[bytes]) -> None:
        argv = ours("cancel", self.name)
        subprocess.run(argv, env=self._lab.environment, capture_output=True, timeout=TIMEOUT_S)
        with suppress(subprocess.TimeoutExpired):
            controller.wait(PATIENCE_S)
        controller.kill()
        controller.wait()

    def _job(self, faults: int, mode: str) -> dict[str, object]:
        return {
            "job": {"name": self.name},
            "cloud": "emulator",
            "tpu": {"allocation_mode": mode, "accelerator": ACCELERATOR, "zone": ZONE},
            "command": {"cmd": WORK.format(notes=self._notes, faults=faults)},
            "timeouts": {"grace_s": 5},
        }

    def _job_id(self) -> str:
        (folder,) = self._lab.home.glob(f"jobs/{self.name}-????")
        return folder.name

    def _noted(self, what: str, stage: int) -> list[float]:
        files = [self._notes / str(stage) / f"{what}-{worker}" for worker in range(WORKERS)]
        deadline = time.monotonic() + PATIENCE_S
        while not all(file.exists() and file.read_text().endswith("\n") for file in files):
            if time.monotonic() > deadline or (self._controller and self._controller.poll()):
                raise RuntimeError(f"attempt {stage}: not {what}:\n{self._log.read_text()[-4000:]}")
            time.sleep(PAUSE_S)
        return [float(file.read_text()) for file in files]


@contextmanager
def watched(processes: list[int]) -> Iterator[dict[int, int]]:
    """Descriptors of processes, to wait for their ends without asking again and again."""
    descriptors = {process: os.pidfd_open(process) for process in processes}
    try:
        yield descriptors
    finally:
        for descriptor in descriptors.values():
            os.close(descriptor)


def ended(descriptors: dict[int, int]) -> float:
    """When the last of these processes has ended."""
    left = set(descriptors.values())
    while left:
        ready, _, _ = select.select(left, [], [], PATIENCE_S)
        if not ready:
            raise RuntimeError(f"processes {sorted(descriptors)} do not end")
        left -= set(ready)
    return time.time()
