"""Starting `tpuherd` in tests: see `forker`. With STARTS=exec in the environment, programs start as usual."""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TPUHERD = str(Path(sys.executable).parent / "tpuherd")
FORKER = Path(__file__).with_name("forker.py")
ROOM = "." * 30_000
"""For the arguments and the variables of every command, each."""
ONE_AT_A_TIME = threading.Lock()


class Command:
    """A `tpuherd` process; has what tests use of `subprocess.Popen`."""

    def __init__(
        self,
        words: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: Path,
        stdout: int,
        stderr: int,
        session: bool = False,
    ) -> None:
        """Start it; `stdout` and `stderr` are descriptors, and there is nothing to read from."""
        self.args = [TPUHERD, *words]
        self.returncode: int | None = None
        self._ended, told = os.pipe()
        nothing = os.open(os.devnull, os.O_RDONLY)
        request = {"argv": self.args, "env": dict(env), "cwd": str(cwd), "session": session}
        try:
            self.pid = _ask(request, [nothing, stdout, stderr, told])
        finally:
            os.close(told)
            os.close(nothing)

    def poll(self) -> int | None:
        """The exit code, or minus the signal; `None` while it runs."""
        return self._wait(0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; returns the exit code."""
        code = self._wait(None if timeout is None else timeout * 1000)
        if code is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return code

    def send_signal(self, number: int) -> None:
        """Unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """With SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """With SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def _wait(self, timeout_ms: float | None) -> int | None:
        if self.returncode is None:
            poller = select.poll()
            poller.register(self._ended, select.POLLIN)
            if poller.poll(timeout_ms):
                self.returncode = int(os.read(self._ended, 16))
                os.close(self._ended)
        return self.returncode


def start(words: Sequence[str], *, env: Mapping[str, str], cwd: Path, log: int, session: bool = False) -> Any:
    """Start `tpuherd WORDS`; what it prints goes to a descriptor."""
    if os.environ.get("STARTS") == "exec":
        program = _program(words, env, cwd)
        return subprocess.Popen(**program, stdout=log, stderr=log, start_new_session=session)
    return Command(words, env=env, cwd=cwd, stdout=log, stderr=log, session=session)


def run(
    words: Sequence[str], *, env: Mapping[str, str], cwd: Path, timeout_s: float
) -> subprocess.CompletedProcess[str]:
    """Run `tpuherd WORDS` to its end, and until nobody writes to its pipes any more."""
    if os.environ.get("STARTS") == "exec":
        return subprocess.run(**_program(words, env, cwd), capture_output=True, timeout=timeout_s)
    ends_at = time.monotonic() + timeout_s
    (out, writes_out), (err, writes_err) = os.pipe(), os.pipe()
    try:
        command = Command(words, env=env, cwd=cwd, stdout=writes_out, stderr=writes_err)
    finally:
        os.close(writes_out)
        os.close(writes_err)
    try:
        printed = _read(command, [out, err], ends_at)
        code = command.wait(max(0.0, ends_at - time.monotonic()))
    except subprocess.TimeoutExpired:
        command.kill()
        command.wait()
        raise
    finally:
        os.close(out)
        os.close(err)
    return subprocess.CompletedProcess(command.args, code, *(text.decode() for text in printed))


def _program(words: Sequence[str], env: Mapping[str, str], cwd: Path) -> dict[str, Any]:
    """What `subprocess` needs in order to start it in the usual way."""
    return {
        "args": [TPUHERD, *words],
        "env": env,
        "cwd": cwd,
        "stdin": subprocess.DEVNULL,
        "text": True,
    }


def _read(command: Command, pipes: list[int], ends_at: float) -> list[bytes]:
    printed = dict.fromkeys(pipes, b"")
    left = set(pipes)
    while left:
        ready, _, _ = select.select(left, [], [], max(0.0, ends_at - time.monotonic()))
        if not ready:
            raise subprocess.TimeoutExpired(command.args, 0, *printed.values())
        for pipe in ready:
            some = os.read(pipe, 1 << 16)
            printed[pipe] += some
            if not some:
                left.remove(pipe)
    return list(printed.values())


def _ask(request: dict[str, Any], descriptors: list[int]) -> int:
    """Returns the pid of what was started."""
    with ONE_AT_A_TIME:
        forker = _forker()
        socket.send_fds(forker, [json.dumps(request).encode()], descriptors)
        return int(forker.recv(16))


@cache
def _forker() -> socket.socket:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-P", str(FORKER), str(theirs.fileno()), ROOM],
            env=variables | {"ROOM": ROOM},
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
    atexit.register(_end, ours, process)
    return ours


def _end(ours: socket.socket, process: subprocess.Popen[bytes]) -> None:
    ours.close()
    process.wait()
