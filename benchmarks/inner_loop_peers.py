"""What people do by hand on the same workers: gcloud, `git fetch` on each worker, rsync to each worker."""

from __future__ import annotations

import shutil
import subprocess
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from inner_loop_commands import TIMEOUT_S, checked, started

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from inner_loop_lab import Lab
    from inner_loop_tree import Tree

MASTERS_S = 60.0
FETCH = "cd ~/fetched && git fetch -q --depth=1 origin main && git checkout -q --detach FETCH_HEAD"
CLONE = (
    "rm -rf ~/fetched && git init -q ~/fetched && cd ~/fetched && git remote add origin {origin} && " + FETCH
)


class Gcloud:
    """The real gcloud, with a key of its own in an SSH agent, which it wants for `--worker=all`."""

    def __init__(self, lab: Lab, zone: str, agent: Path) -> None:
        self._lab = lab
        self._zone = f"--zone={zone}"
        self.environment = lab.gcloud_environment() | {"SSH_AUTH_SOCK": str(agent)}

    def tpu_vm(self, *words: str) -> list[str]:
        return ["gcloud", "compute", "tpus", "tpu-vm", *words]

    def create(self, node: str, accelerator: str) -> list[str]:
        kind = (f"--accelerator-type={accelerator}", "--version=v2-alpha-tpuv5-lite")
        return self.tpu_vm("create", node, self._zone, *kind)

    def delete(self, node: str) -> list[str]:
        return self.tpu_vm("delete", node, self._zone, "--quiet")

    def ssh(self, node: str, command: str) -> list[str]:
        """A command on all workers of a node."""
        port = f"--ssh-flag=-p {self._lab.info.ssh_port}"
        return self.tpu_vm("ssh", node, self._zone, "--worker=all", f"--command={command}", port)

    def run(self, argv: list[str]) -> str:
        return checked(argv, self.environment, self._lab.folder)


@contextmanager
def gcloud(lab: Lab, zone: str) -> Iterator[Gcloud | None]:
    """gcloud for this cloud; `None` where it is not installed."""
    if shutil.which("gcloud") is None:
        yield None
        return
    key, agent = lab.folder / "gcloud" / ".ssh" / "google_compute_engine", lab.folder / "agent"
    key.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
    checked(["ssh-keygen", "-q", "-t", "rsa", "-N", "", "-f", key], lab.environment, lab.folder)
    made = Gcloud(lab, zone, agent)
    process = subprocess.Popen(["ssh-agent", "-D", "-a", agent], stdout=subprocess.DEVNULL)
    try:
        until_there([agent])
        checked(["ssh-add", "-q", key], made.environment, lab.folder)
        yield made
    finally:
        process.terminate()
        process.wait()


class Workers:
    """The workers of a job as OpenSSH sees them."""

    def __init__(self, lab: Lab, tree: Tree, hosts: list[str]) -> None:
        self._lab = lab
        self._tree = tree
        self._hosts = hosts
        self._config = lab.folder / "ssh_config"
        self._config.write_text(lab.ok("ssh-config"))

    def masters(self, host: str) -> list[str]:
        """The command that keeps a connection to a host."""
        return [*self._ssh(host, "warm"), "-M", "-N", host]

    def control(self, host: str) -> Path:
        return self._lab.folder / f"cm-{host}"

    def fetch(self, command: str, connections: str) -> None:
        """What a commit, a push and a fetch on every worker take."""
        self._tree.push()
        self._on_each([[*self._ssh(host, connections), host, command] for host in self._hosts])

    def rsync(self, connections: str) -> None:
        """One rsync per worker, all at once."""
        self._on_each([self._rsync(host, connections) for host in self._hosts])

    def _rsync(self, host: str, connections: str) -> list[str]:
        shell = " ".join(self._ssh(host, connections))
        rules = ("--delete", "--filter=:- .gitignore", "--exclude=.git")
        there = f"--rsync-path={shutil.which('rsync')}"
        return ["rsync", "-a", *rules, "-e", shell, there, f"{self._tree.folder}/", f"{host}:synced/"]

    def _ssh(self, host: str, connections: str) -> list[str]:
        kept = ["-o", f"ControlPath={self.control(host)}"] if connections == "warm" else []
        return ["ssh", "-F", str(self._config), *kept]

    def _on_each(self, commands: list[list[str]]) -> None:
        with ExitStack() as stack:
            lab = self._lab
            running = [stack.enter_context(started(argv, lab.environment, lab.folder)) for argv in commands]
            said = [process.communicate(timeout=TIMEOUT_S)[0] for process in running]
        for process, text in zip(running, said, strict=True):
            if process.returncode:
                raise RuntimeError(f"{process.args!r}: {process.returncode}\n{text}")


@contextmanager
def workers(lab: Lab, tree: Tree, hosts: list[str]) -> Iterator[Workers]:
    """The workers of a job, to each of which OpenSSH keeps a connection."""
    made = Workers(lab, tree, hosts)
    with ExitStack() as stack:
        for host in hosts:
            process = subprocess.Popen(
                made.masters(host), env=lab.environment, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            stack.callback(process.wait)
            stack.callback(process.terminate)
            lab.keepers.append(process.pid)
        until_there([made.control(host) for host in hosts])
        yield made


def until_there(paths: list[Path]) -> None:
    """Wait until others have made all of these sockets."""
    deadline = time.monotonic() + MASTERS_S
    while not all(path.exists() for path in paths):
        if time.monotonic() > deadline:
            too_long = "; with a shorter TMPDIR there is room for its name" if len(str(paths[0])) > 85 else ""
            raise RuntimeError(f"{paths[0]}: no socket after {MASTERS_S} s{too_long}")
        time.sleep(0.02)
