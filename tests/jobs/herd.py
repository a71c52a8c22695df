"""One user's tpuherd on this machine: the real command line, in a home of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import commands
import yaml

from tpuherd.store.store import Store
from tpuherd.tasks.viewing import details
from tpuherd_emulator import lifecycle
from tpuherd_emulator.info import load

if TYPE_CHECKING:
    from collections.abc import Callable

REPOSITORY = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
ZONE = "us-west4-a"
TIMEOUT_S = 180.0


class Herd:
    """Runs `tpuherd` and `inv`, and looks at what they leave."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self.shared = self.home / "emulator" / "shared"
        self.logs = 0
        self.started: list[commands.Command] = []
        self.variables = {"TPUHERD_HOME": str(self.home), "TPUHERD_SUPERVISOR_IDLE_S": "0.5"}

    def environment(self, crash: str = "") -> dict[str, str]:
        ours = os.environ | self.variables
        if crash:
            ours |= {
                "TPUHERD_PLUGINS": "crashing",
                "CRASH_AT": crash,
                "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]),
            }
        return ours

    def job(
        self, cmd: str = "true", name: str = "job", accelerator: str = "v5litepod-8", **more: Any
    ) -> Path:
        """Write a job file; keyword arguments are further sections."""
        content = {
            "cloud": "emulator",
            "tpu": {"accelerator": accelerator, "zone": ZONE},
            "command": {"cmd": cmd},
            "timeouts": {"grace_s": 2},
        } | more
        path = self.root / f"{name}.yaml"
        path.write_text(yaml.safe_dump(content))
        return path

    def counting(self, lines: int = 30, pause_s: float = 0.05) -> str:
        """A workload that says `line 1` … `line N` and notes each start of it in the shared folder."""
        return (
            f"echo started >> {self.shared}/ran-$TPUHERD_WORKER\n"
            f"for i in $(seq {lines}); do echo line $i; sleep {pause_s}; done"
        )

    def run(
        self, *words: object, crash: str = "", timeout_s: float = TIMEOUT_S, **more: Any
    ) -> subprocess.CompletedProcess[str]:
        """Run `tpuherd WORDS` to its end."""
        cwd = more.pop("cwd", self.root)
        return commands.run(list(map(str, words)), env=self.environment(crash), cwd=cwd, timeout_s=timeout_s)

    def ok(self, *words: object, **more: Any) -> str:
        """Run `tpuherd WORDS`, which must succeed; returns what it printed."""
        return self.ends_with(0, *words, **more).stdout

    def ends_with(self, code: int, *words: object, **more: Any) -> subprocess.CompletedProcess[str]:
        """Run `tpuherd WORDS`, which must end with this exit code."""
        done = self.run(*words, **more)
        assert done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def inv(self, *words: object, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run `inv WORDS` in the repository, as its tasks.py has it."""
        return subprocess.run(
            [str(BIN / "inv"), *map(str, words)],
            env=self.environment() | variables,
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            stdin=subprocess.DEVNULL,
        )

    def start(self, *words: object, crash: str = "", **more: Any) -> commands.Command:
        """Start `tpuherd WORDS`; what it prints goes to `output(process)`."""
        self.logs += 1
        log = (self.root / f"started-{self.logs}.log").open("w")
        with log:
            process = commands.start(
                list(map(str, words)), env=self.environment(crash), cwd=self.root, log=log.fileno(), **more
            )
        process.log = Path(log.name)
        self.started.append(process)
        return process

    def until_says(self, process: commands.Command, text: str, timeout_s: float = 90.0) -> None:
        """Wait until a started process has printed a text."""
        wait_for(lambda: text in output(process) or process.poll() is not None, timeout_s)
        assert text in output(process), output(process)

    def status(self, job: str = "job") -> dict[str, Any]:
        """What `status --json` prints, without a process that takes longer to begin than to look."""
        store = Store(f"sqlite:///{self.home}/tpuherd.sqlite")
        try:
            return json.loads(json.dumps(details(store, store.jobs.find(job)), default=str))
        finally:
            store.engine.dispose()

    def cloud(self) -> dict[str, Any]:
        """What `cloud.status --json` says of it, as `status` does for jobs."""
        return json.loads(json.dumps(asdict(lifecycle.status(self.home / "emulator"))))

    def log(self, worker: int, job: str = "job", attempt: int = 1) -> list[str]:
        """The lines of a worker's log that were kept here."""
        (directory,) = self.home.glob(f"jobs/{job}-????")
        path = directory / f"attempt-{attempt}" / f"worker-{worker}.log"
        return path.read_text().splitlines() if path.exists() else []

    def starts(self, worker: int) -> int:
        """How often the workload was started on a worker; see `counting`."""
        path = self.shared / f"ran-{worker}"
        return len(path.read_text().splitlines()) if path.exists() else 0

    def operations(self, verb: str) -> list[str]:
        """What the emulated cloud was ever asked to do with nodes: the targets, by its own account."""
        import grpc
        from google.cloud.tpu_v2 import OperationMetadata
        from google.longrunning import operations_pb2 as pb2
        from google.longrunning import operations_pb2_grpc

        info = load(self.home / "emulator" / "cloud.json")
        assert info, "no emulated cloud runs"
        with grpc.insecure_channel(info.tpu_endpoint) as channel:
            request = pb2.ListOperationsRequest(name=f"projects/{info.project}/locations/{ZONE}")
            answer = operations_pb2_grpc.OperationsStub(channel).ListOperations(
                request, metadata=[("authorization", f"Bearer {info.token}")]
            )
        found = [OperationMetadata.deserialize(operation.metadata.value) for operation in answer.operations]
        return [one.target for one in found if one.verb == verb and "/nodes/" in one.target]

    def processes(self) -> dict[int, str]:
        """All processes that belong to this home: controllers, the daemon, workers, workloads."""
        return {pid: command for pid, command in _with_environment(str(self.home)) if pid != os.getpid()}

    def nothing_left(self) -> None:
        """Assert that no process of this home is left."""
        wait_for(lambda: not self.processes())
        assert not self.processes()

    def close(self) -> None:
        """End everything that was started, also after a failed test."""
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.wait()
        lifecycle.down(self.home / "emulator")
        for pid in self.processes():
            os.kill(pid, signal.SIGKILL)


def output(process: commands.Command) -> str:
    """What a process of `Herd.start` has printed so far."""
    return process.log.read_text()


def wait_for(condition: Callable[[], object], timeout_s: float = 120.0) -> bool:
    """Ask again and again; False if it never became true."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def _with_environment(text: str) -> list[tuple[int, str]]:
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            if text.encode() in (folder / "environ").read_bytes():
                found.append((int(folder.name), (folder / "cmdline").read_text().replace("\0", " ")))
        except OSError:
            continue
    return found
