"""What a worker is to be, before it exists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerPlan:
    """Everything that is fixed when a worker is created."""

    directory: Path
    """Its own folder: home, temporary files, keys, logs."""
    index: int
    """Number within its slice, from 0."""
    hostname: str
    address: str
    ssh_port: int
    user: str
    environment: dict[str, str]
    """What every command on it finds in its environment."""

    @property
    def home(self) -> Path:
        """The user's home folder on the worker."""
        return self.directory / "home"

    @property
    def temporary(self) -> Path:
        """The worker's `/tmp`, or its `TMPDIR` where `/tmp` is shared."""
        return self.directory / "tmp"

    @property
    def host_key(self) -> Path:
        """Private host key; the public one is beside it with `.pub`."""
        return self.directory / "ssh_host_ed25519_key"

    @property
    def authorized_keys(self) -> Path:
        """The keys that may log in."""
        return self.directory / "authorized_keys"

    @property
    def login(self) -> Path:
        """The program that every SSH session runs in."""
        return self.directory / "login"

    @property
    def hosts(self) -> Path:
        """The worker's `/etc/hosts`, where it has a host name of its own."""
        return self.directory / "hosts"

    @property
    def discarded(self) -> Path:
        """Where the disk goes when the worker is deleted."""
        return self.directory.parent.parent / "discarded"

    @property
    def log(self) -> Path:
        """Output of the SSH server."""
        return self.directory / "server.log"

    @property
    def pid_file(self) -> Path:
        """Pid and start time of the outermost process; killing it is pulling the plug."""
        return self.directory / "pid"
