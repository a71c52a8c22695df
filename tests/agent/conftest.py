"""A worker for the agent: a home folder with the real agent, run as subprocesses."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tpuherd.agent.bundle import bundle, command, install_command

PYTHON = os.environ.get("TPUHERD_TEST_PYTHON", getattr(sys, "_base_executable", sys.executable))
"""The workers' python3; set the variable to test another version."""


class AgentWorker:
    def __init__(self, home: Path):
        self.home = home
        image = home.parent / f"{home.name}-image"
        image.mkdir()
        home.mkdir()
        (image / "python3").symlink_to(PYTHON)
        self.environment = {
            "HOME": str(home),
            "PATH": f"{image}:/usr/bin:/bin",
            "GCE_METADATA_HOST": "127.0.0.1:1",
            "TPUHERD_DEVICE_GLOB": str(home / "dev" / "*"),
        }
        assert self.shell(install_command(bundle()), bundle().content).stdout == b"installed\n"

    def shell(self, line: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ["sh", "-c", line], input=stdin, env=self.environment, capture_output=True, timeout=60
        )

    def open(self, *args: str, **options) -> subprocess.Popen[bytes]:
        line = f"exec {command(bundle(), *args)}"
        return subprocess.Popen(["sh", "-c", line], env=self.environment, **options)

    def run(self, *args: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return self.shell(command(bundle(), *args), stdin)

    def answer(self, *args: str, stdin: bytes = b"") -> dict:
        done = self.run(*args, stdin=stdin)
        assert done.returncode == 0, done.stderr.decode()
        return json.loads(done.stdout)

    def refusal(self, *args: str, stdin: bytes = b"") -> tuple[int, dict]:
        done = self.run(*args, stdin=stdin)
        return done.returncode, json.loads(done.stderr)

    def start(self, attempt: str, script: str = "", **spec) -> dict:
        return self.answer("start", stdin=self.spec(attempt, script, **spec))

    def spec(self, attempt: str, script: str = "", **spec) -> bytes:
        return json.dumps({"attempt": attempt, **({"script": script} if script else {}), **spec}).encode()

    def status(self, attempt: str) -> dict:
        return self.answer("status", "--attempt", attempt)

    def stop(self, attempt: str, grace_s: float = 5) -> dict:
        return self.answer("stop", "--attempt", attempt, "--grace", str(grace_s))

    def log(self, attempt: str, offset: int = 0) -> bytes:
        return self.run("log", "--attempt", attempt, "--offset", str(offset)).stdout

    def directory(self, attempt: str) -> Path:
        return self.home / ".tpuherd" / "attempts" / attempt

    def keeper_pid(self, attempt: str) -> int:
        return json.loads((self.directory(attempt) / ".agent" / "keeper").read_text())["pid"]

    def kill_keeper(self, attempt: str) -> None:
        os.kill(self.keeper_pid(attempt), signal.SIGKILL)
        wait_for(lambda: not self.status(attempt)["keeper_alive"])

    def processes(self) -> list[int]:
        """All processes with this home folder, but zombies."""
        mark = f"HOME={self.home}".encode()
        names = filter(str.isdigit, (path.name for path in Path("/proc").iterdir()))
        return [pid for pid in map(int, names) if _has(pid, mark)]


def _has(pid: int, mark: bytes) -> bool:
    try:
        return mark in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False


def wait_for(condition, timeout_s: float = 15.0):
    deadline = time.monotonic() + timeout_s
    while not (value := condition()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)
    return value


def ended(worker: AgentWorker, attempt: str) -> dict:
    def status():
        now = worker.status(attempt)
        return now if now["state"] not in {"starting", "running"} else None

    return wait_for(status)


@pytest.fixture
def worker(tmp_path):
    worker = AgentWorker(tmp_path / "home")
    yield worker
    _end_all(worker)


@pytest.fixture
def other_worker(tmp_path):
    worker = AgentWorker(tmp_path / "other-home")
    yield worker
    _end_all(worker)


def _end_all(worker: AgentWorker) -> None:
    for _ in range(100):
        pids = worker.processes()
        if not pids:
            return shutil.rmtree(worker.home)
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        time.sleep(0.02)
    raise AssertionError(f"left behind: {worker.processes()}")
