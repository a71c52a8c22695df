"""Real sshd processes on addresses of the loopback network."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tpuherd.model.allocation import Worker
from tpuherd.model.cloud import SshAccess

if TYPE_CHECKING:
    from collections.abc import Iterator

SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
NODE_ID = "node-a"

CONFIG = """
ListenAddress {address}:{port}
HostKey {folder}/hostkey
PidFile none
AuthorizedKeysFile {authorized_keys}
StrictModes no
UsePAM no
PasswordAuthentication no
UseDNS no
PrintMotd no
MaxStartups 1000:30:2000
MaxSessions 1000
SetEnv HOME={folder}/home
"""


def make_key(path: Path) -> str:
    """A new key pair; returns the public key."""
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True)
    return path.with_name(path.name + ".pub").read_text().strip()


def free_port(address: str) -> int:
    """A port that nobody used a moment ago."""
    with closing(socket.create_server((address, 0))) as server:
        return server.getsockname()[1]


@dataclass
class Sshd:
    """One sshd, in a session of its own."""

    address: str
    port: int
    folder: Path
    authorized_keys: Path
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        (self.folder / "home").mkdir(parents=True, exist_ok=True)
        if not (self.folder / "hostkey").exists():
            make_key(self.folder / "hostkey")
        config = self.folder / "sshd_config"
        config.write_text(
            CONFIG.format(
                address=self.address,
                port=self.port,
                folder=self.folder,
                authorized_keys=self.authorized_keys,
            )
        )
        log = (self.folder / "sshd.log").open("ab")
        with log:
            self.process = subprocess.Popen(
                [SSHD, "-D", "-e", "-f", config], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        self._wait()

    def renew_host_key(self) -> None:
        """What happens when a VM is re-created."""
        self.stop()
        for name in ("hostkey", "hostkey.pub"):
            (self.folder / name).unlink()
        self.start()

    def sessions(self) -> list[int]:
        """Process ids of everything that this sshd started, parents first."""
        found = [self.process.pid]
        for pid in found:
            with suppress(OSError):  # it has just ended
                for task in Path(f"/proc/{pid}/task").glob("*/children"):
                    found += [int(child) for child in task.read_text().split()]
        return found[1:]

    def strays(self) -> list[int]:
        """Process ids of commands that outlived their session, by the home folder that only they have."""
        mark = f"HOME={self.folder}/home".encode()
        found = []
        for environ in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):
                if mark in environ.read_bytes().split(b"\0"):
                    found.append(int(environ.parent.name))
        return found

    def signal_all(self, number: signal.Signals) -> None:
        """Send a signal to this sshd and everything below it."""
        for pid in [self.process.pid, *self.sessions()]:
            os.kill(pid, number)

    def stop(self) -> None:
        if self.process is None:
            return
        for pid in [*reversed(self.sessions()), self.process.pid, *self.strays()]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(10)
        self.process = None

    def _wait(self) -> None:
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and self.process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex((self.address, self.port)) == 0:
                    return
            time.sleep(0.01)
        raise RuntimeError(f"sshd did not start: {(self.folder / 'sshd.log').read_text()}")


@dataclass
class Farm:
    """Several sshds that one key opens, all on the same port."""

    folder: Path
    port: int
    servers: list[Sshd] = field(default_factory=list)

    @property
    def key(self) -> Path:
        return self.folder / "key"

    @property
    def access(self) -> SshAccess:
        user = pwd.getpwuid(os.getuid()).pw_name
        return SshAccess(
            user=user,
            private_key=str(self.key),
            public_key=self.key.with_name("key.pub").read_text().strip(),
            port=self.port,
        )

    @property
    def workers(self) -> tuple[Worker, ...]:
        return tuple(worker(index, server.address) for index, server in enumerate(self.servers))

    def start(self, count: int) -> None:
        if os.getuid() == 0:
            Path("/run/sshd").mkdir(exist_ok=True)  # sshd as root wants it for privilege separation
        (self.folder / "authorized_keys").write_text(make_key(self.key) + "\n")
        for index in range(count):
            address = f"127.9.{index // 250}.{index % 250 + 1}"
            server = Sshd(address, self.port, self.folder / str(index), self.folder / "authorized_keys")
            self.servers.append(server)
            server.start()

    def stop(self) -> None:
        for server in self.servers:
            server.stop()


def worker(index: int, address: str) -> Worker:
    return Worker(
        index=index,
        slice_index=0,
        slice_worker=index,
        node_id=NODE_ID,
        internal_address=address,
        ssh_address=address,
    )


def make_farm(folder: Path, count: int) -> Iterator[Farm]:
    if SSHD is None or shutil.which("ssh-keygen") is None:
        pytest.skip("needs OpenSSH's sshd and ssh-keygen on this machine")
    farm = Farm(folder, free_port("127.9.0.1"))
    try:
        farm.start(count)
        yield farm
    finally:
        farm.stop()
