"""Which sandbox and which SSH server the workers of this machine get."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd.errors import ProvisionError
from tpuherd_emulator.image import base_python, uv_cache
from tpuherd_emulator.workers.sandboxes import Bwrap, Sandbox, Unconfined, Unshare, hides_any, works
from tpuherd_emulator.workers.servers import Builtin, Server, Sshd, find_sshd

if TYPE_CHECKING:
    from pathlib import Path

    from tpuherd_emulator.workers.plan import WorkerPlan

SANDBOXES = ("bwrap", "unshare", "none")
SERVERS = ("sshd", "builtin")


@dataclass(frozen=True, slots=True)
class Backend:
    """A sandbox with an SSH server in it."""

    sandbox: Sandbox
    server: Server

    @property
    def name(self) -> str:
        """For example `bwrap+sshd`."""
        return f"{self.sandbox.name}+{self.server.name}"

    def prepare(self, plan: WorkerPlan) -> None:
        """Write what the server needs into the worker's folder."""
        self.server.prepare(plan)

    def command(self, plan: WorkerPlan) -> list[str]:
        """Return the command that runs a worker."""
        return self.sandbox.wrap(plan, self.server.command(plan))


def check_name(backend: str) -> None:
    """Refuse what is no backend, before anything is started.

    Raises:
        ProvisionError: The name is not `auto` and not SANDBOX+SERVER.
    """
    sandbox, plus, server = backend.partition("+")
    if backend != "auto" and not (plus and sandbox in SANDBOXES and server in SERVERS):
        raise ProvisionError(
            f"{backend!r} is no backend of the emulated cloud; use 'auto', or one of {', '.join(SANDBOXES)} "
            f"with one of {', '.join(SERVERS)}, for example 'none+builtin'"
        )


def choose(backend: str, root: Path) -> Backend:
    """Return the backend of that name, or the best one that works here.

    Args:
        backend: `auto` or SANDBOX+SERVER.
        root: The cloud's folder; sandboxes are tried there.

    Raises:
        ProvisionError: The one asked for does not work on this machine.
    """
    check_name(backend)
    sandbox, _, server = backend.partition("+") if backend != "auto" else ("auto", "", "auto")
    return Backend(_sandbox(sandbox, root), _server(server))


def _sandbox(name: str, root: Path) -> Sandbox:
    private_tmp = not hides_any((root, uv_cache(), base_python()))
    for known in SANDBOXES if name == "auto" else (name,):
        sandbox = _make_sandbox(known, private_tmp=private_tmp)
        if sandbox is not None and works(sandbox, root):
            return sandbox
    raise ProvisionError(f"the sandbox {name!r} does not work on this machine; use backend 'auto'")


def _make_sandbox(name: str, *, private_tmp: bool) -> Sandbox | None:
    if name == "bwrap" and shutil.which("bwrap"):
        return Bwrap(private_tmp=private_tmp)
    if name == "unshare" and os.geteuid() == 0 and shutil.which("unshare"):
        return Unshare(private_tmp=private_tmp)
    return Unconfined() if name == "none" else None


def _server(name: str) -> Server:
    sshd = find_sshd()
    if sshd is not None and name != "builtin":
        return Sshd(sshd)
    if name == "sshd":
        raise ProvisionError(
            "no sshd was found on this machine; install OpenSSH's server or use backend 'auto'"
        )
    return Builtin()
