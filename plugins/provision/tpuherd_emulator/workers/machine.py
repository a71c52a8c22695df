"""One worker: a folder that lasts from creation to deletion, and processes while it is powered on."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import threading
import time
from typing import TYPE_CHECKING

from tpuherd.errors import ProvisionError
from tpuherd_emulator import keys
from tpuherd_emulator.files import discard, tail, write_private
from tpuherd_emulator.layout import WORKER_MARKER
from tpuherd_emulator.workers import ending, login, signals
from tpuherd_emulator.workers.environment import SYSTEM_PATH
from tpuherd_emulator.workers.sandboxes import HOSTS

if TYPE_CHECKING:
    from tpuherd_emulator.workers.backend import Backend
    from tpuherd_emulator.workers.plan import WorkerPlan

BOOT_TIMEOUT_S = 20.0
"""Far more than a server needs to answer on a busy machine."""


class Machine:
    """One emulated TPU VM. Its methods may be called from any thread; they wait for one another."""

    def __init__(self, plan: WorkerPlan, backend: Backend) -> None:
        self.plan = plan
        self._backend = backend
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._removed = False

    @property
    def host_key(self) -> str:
        """The public host key, one OpenSSH line; empty before the first boot."""
        public = self.plan.host_key.with_name(self.plan.host_key.name + ".pub")
        return public.read_text().strip() if public.exists() else ""

    @property
    def is_on(self) -> bool:
        """True if it has processes."""
        return self._process is not None

    def authorize(self, lines: list[str]) -> None:
        """Set the keys that may log in."""
        with self._lock:
            if not self._removed:
                self.plan.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
                write_private(self.plan.authorized_keys, "\n".join(lines) + "\n")

    def power_on(self) -> None:
        """Boot, and return when the worker answers on its SSH port.

        Raises:
            ProvisionError: It does not answer, or it was removed in the meantime.
        """
        with self._lock:
            if self._removed:
                raise ProvisionError(
                    f"the worker {self.plan.directory.name} was deleted while it was created"
                )
            self._prepare()
            self._process = self._start()
            _wait_for_ssh(self._process, self.plan)

    def power_off(self) -> None:
        """Pull the plug: everything on the worker ends at once; its disk stays."""
        with self._lock:
            self._stop()

    def recover(self) -> None:
        """Let everything go on that stands still, and boot if the power is off."""
        signals.thaw(self.plan.directory)
        with self._lock:
            off = self._process is None and not self._removed
        if off:
            self.power_on()

    def wipe(self) -> None:
        """Power off and empty the disk; who may log in stays."""
        with self._lock:
            self._stop()
            for folder in (self.plan.home, self.plan.temporary):
                discard(folder, self.plan.discarded)

    def remove(self) -> None:
        """Power off and delete the disk."""
        with self._lock:
            self._stop()
            self._removed = True
            discard(self.plan.directory, self.plan.discarded)

    def _prepare(self) -> None:
        for folder in (self.plan.home, self.plan.temporary):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        keys.ensure(self.plan.host_key, self.plan.hostname)
        self.plan.hosts.write_text(f"{HOSTS.read_text()}\n{self.plan.address} {self.plan.hostname}\n")
        login.write(self.plan)
        self._backend.prepare(self.plan)

    def _start(self) -> subprocess.Popen[bytes]:
        with self.plan.log.open("ab") as log:
            process = subprocess.Popen(
                self._backend.command(self.plan),
                cwd=self.plan.directory,
                env=_server_environment(self.plan),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        ending.remember(process.pid, self.plan.pid_file)
        return process

    def _stop(self) -> None:
        if self._process is not None:
            ending.power_off([self.plan.directory])
            self._process.wait()
            self.plan.pid_file.unlink(missing_ok=True)
            self._process = None


def _server_environment(plan: WorkerPlan) -> dict[str, str]:
    """Almost nothing: sessions get theirs from the login script."""
    python = {
        name: value for name, value in os.environ.items() if name == "PYTHONPATH"
    }  # the built-in server's
    return python | {
        "PATH": SYSTEM_PATH + os.pathsep + os.environ.get("PATH", ""),
        WORKER_MARKER: str(plan.directory),
    }


def _wait_for_ssh(process: subprocess.Popen[bytes], plan: WorkerPlan) -> None:
    deadline = time.monotonic() + BOOT_TIMEOUT_S
    while not _answers(plan.address, plan.ssh_port):
        if process.poll() is not None or time.monotonic() > deadline:
            ended = (
                f"ended with {process.returncode}" if process.returncode is not None else "does not answer"
            )
            raise ProvisionError(
                f"the SSH server of worker {plan.directory.name} {ended}; "
                f"the end of {plan.log}:\n{tail(plan.log)}"
            )
        time.sleep(0.005)


def _answers(address: str, port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((address, port), timeout=5) as connection:
        return connection.recv(4) == b"SSH-"
    return False
