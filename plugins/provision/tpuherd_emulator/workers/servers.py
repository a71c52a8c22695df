"""What answers on a worker's SSH port."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tpuherd_emulator.files import write_private
from tpuherd_emulator.layout import WORKER_MARKER
from tpuherd_emulator.workers.login import forced_command

if TYPE_CHECKING:
    from tpuherd_emulator.workers.plan import WorkerPlan


class Server(Protocol):
    """An SSH server: public keys only, every session in the worker's `login`."""

    @property
    def name(self) -> str:
        """As in the option `backend`."""

    def prepare(self, plan: WorkerPlan) -> None:
        """Write what the server needs into the worker's folder."""

    def command(self, plan: WorkerPlan) -> list[str]:
        """Return the command that serves in the foreground."""


class Sshd:
    """OpenSSH; as a plain user it serves that user only, which is all that is needed."""

    name = "sshd"

    def __init__(self, program: str) -> None:
        self._program = program
        self._split = _is_split(program)
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # sshd refuses to start as root without it

    def prepare(self, plan: WorkerPlan) -> None:
        """See `Server`."""
        # it locks out addresses with failed logins: here all clients share one address
        extra = ["PerSourcePenalties no"] if self._split else []
        write_private(plan.directory / "sshd_config", "\n".join([*_settings(plan), *extra]) + "\n")

    def command(self, plan: WorkerPlan) -> list[str]:
        """See `Server`."""
        # it starts itself anew for each connection otherwise, and all workers share this machine's processors
        anew = [] if self._split else ["-r"]
        return [self._program, "-D", "-e", *anew, "-f", str(plan.directory / "sshd_config")]


class Builtin:
    """Our own small server, for machines without OpenSSH's."""

    name = "builtin"

    def prepare(self, plan: WorkerPlan) -> None:
        """See `Server`: all is in the command."""

    def command(self, plan: WorkerPlan) -> list[str]:
        """See `Server`."""
        module = "tpuherd_emulator.workers.builtin_server"
        where = (str(plan.directory), plan.address, str(plan.ssh_port), plan.user)
        return [sys.executable, "-P", "-m", module, *where]


def find_sshd() -> str | None:
    """Return the absolute path of sshd, which is often not on the PATH of plain users."""
    return shutil.which("sshd") or shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/sbin")


def _settings(plan: WorkerPlan) -> list[str]:
    return [
        f"ListenAddress {plan.address}:{plan.ssh_port}",
        f'HostKey "{plan.host_key}"',
        f'AuthorizedKeysFile "{plan.authorized_keys}"',
        f"ForceCommand {forced_command(plan)}",
        # The user's shell comes first, and bash under sshd reads ~/.bashrc: never the real one.
        f'SetEnv HOME="{plan.home}" {WORKER_MARKER}="{plan.directory}"',
        "PidFile none",
        "StrictModes no",
        "UsePAM no",
        "PasswordAuthentication no",
        "KbdInteractiveAuthentication no",
        "PermitRootLogin prohibit-password",
        f"AllowUsers {plan.user}",
        "UseDNS no",
        "PrintMotd no",
        "PrintLastLog no",
        "MaxStartups 1000:30:2000",
        "MaxSessions 1000",
        "AcceptEnv LANG LC_*",
        f"Subsystem sftp {_sftp_server()}",
    ]


def _sftp_server() -> str:
    """A program, not `internal-sftp`: the forced command has to be able to start it."""
    folders = ("/usr/lib/openssh", "/usr/libexec/openssh", "/usr/lib/ssh", "/usr/libexec")
    found = (Path(folder, "sftp-server") for folder in folders)
    return str(next((path for path in found if path.exists()), "internal-sftp"))


def _is_split(program: str) -> bool:
    """Since 9.8 a program of its own serves each connection, and counts its failures."""
    shown = subprocess.run([program, "-V"], capture_output=True, text=True, timeout=5)
    version = re.search(r"OpenSSH_(\d+)\.(\d+)", shown.stdout + shown.stderr)
    return version is not None and (int(version[1]), int(version[2])) >= (9, 8)
