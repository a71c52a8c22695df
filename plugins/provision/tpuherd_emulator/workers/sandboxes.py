"""What separates the processes of a worker from those of this machine and of other workers."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Protocol

from tpuherd_emulator.workers.plan import WorkerPlan

TMP = Path("/tmp")  # noqa: S108 - it is what is separated here
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108
HOSTS = Path("/etc/hosts")
"""A worker has to find itself by its host name: gloo, which carries JAX's CPU collectives, looks it up."""


class Sandbox(Protocol):
    """A way to start the outermost process of a worker; killing that one must end all others in it."""

    @property
    def name(self) -> str:
        """As in the option `backend`."""

    @property
    def private_tmp(self) -> bool:
        """True if `/tmp` is the worker's own; otherwise `TMPDIR` names its folder."""

    def wrap(self, plan: WorkerPlan, argv: list[str]) -> list[str]:
        """Return the command that runs `argv` as this worker."""


class Bwrap:
    """Own pids, host name, `/dev/shm` and `/tmp`; for every user where user namespaces are allowed."""

    name = "bwrap"

    def __init__(self, *, private_tmp: bool) -> None:
        self.private_tmp = private_tmp

    def wrap(self, plan: WorkerPlan, argv: list[str]) -> list[str]:
        """See `Sandbox`. The worker goes down with the thread that started it: it must be a lasting one."""
        capabilities = ["--cap-add", "ALL"] if os.geteuid() == 0 else []
        own_tmp = ["--bind", str(plan.temporary), str(TMP)] if self.private_tmp else []
        return [
            "bwrap", "--die-with-parent", "--unshare-pid", "--unshare-uts", "--hostname", plan.hostname,
            *capabilities, "--dev-bind", "/", "/", "--proc", "/proc",
            "--tmpfs", str(SHARED_MEMORY), "--ro-bind", str(plan.hosts), str(HOSTS), *own_tmp, "--", *argv,
        ]  # fmt: skip


class Unshare:
    """The same with util-linux, for root."""

    name = "unshare"
    _ENTER = (
        'hostname "$1" && mount -t tmpfs tmpfs /dev/shm && mount --bind "$2" /etc/hosts && '
        '{ [ -z "$3" ] || mount --bind "$3" /tmp; } && shift 3 && exec "$@"'
    )

    def __init__(self, *, private_tmp: bool) -> None:
        self.private_tmp = private_tmp

    def wrap(self, plan: WorkerPlan, argv: list[str]) -> list[str]:
        """See `Sandbox`."""
        own_tmp = str(plan.temporary) if self.private_tmp else ""
        return [
            "unshare", "--mount", "--uts", "--pid", "--fork", "--kill-child=KILL", "--mount-proc",
            "sh", "-c", self._ENTER, "sh", plan.hostname, str(plan.hosts), own_tmp, *argv,
        ]  # fmt: skip


class Unconfined:
    """Nothing: processes of a worker are found by their parents and by the marker in their environment."""

    name = "none"
    private_tmp = False

    def wrap(self, plan: WorkerPlan, argv: list[str]) -> list[str]:  # noqa: ARG002
        """See `Sandbox`."""
        return argv


def hides_any(needed: tuple[Path, ...]) -> bool:
    """True if something that workers need lies below `/tmp`, and would vanish behind one of their own."""
    return any(TMP in path.resolve().parents for path in needed)


def works(sandbox: Sandbox, scratch: Path) -> bool:
    """True if a command really runs in the sandbox: installed does not mean allowed."""
    folder = scratch / "probe"
    plan = WorkerPlan(
        directory=folder, index=0, hostname="probe", address="", ssh_port=0, user="", environment={}
    )
    plan.temporary.mkdir(parents=True, exist_ok=True)
    plan.hosts.write_text(HOSTS.read_text())
    try:
        return _runs(sandbox.wrap(plan, ["true"]))
    finally:
        shutil.rmtree(folder)


def _runs(argv: list[str]) -> bool:
    try:
        return subprocess.run(argv, capture_output=True, timeout=5).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
