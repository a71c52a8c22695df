"""Where things are in the folder of an emulated cloud."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

WORKER_MARKER = "TPUHERD_EMULATED_WORKER"
"""Every process on a worker has this variable, with the worker's folder as value."""

CLOUD_MARKER = "TPUHERD_EMULATED_CLOUD"
"""The daemon has this variable, with the cloud's folder as value."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The paths in a cloud's folder."""

    root: Path

    @property
    def info(self) -> Path:
        """What the running daemon says about itself; there while it serves."""
        return self.root / "cloud.json"

    @property
    def state(self) -> Path:
        """The nodes, for `status`; written by the daemon at every change."""
        return self.root / "state.json"

    @property
    def options(self) -> Path:
        """The options for the daemon."""
        return self.root / "options.json"

    @property
    def log(self) -> Path:
        """The daemon's output."""
        return self.root / "daemon.log"

    @property
    def lock(self) -> Path:
        """Held while the cloud is started, stopped, joined or left."""
        return self.root / "lock"

    @property
    def users(self) -> Path:
        """One file per user of the cloud."""
        return self.root / "users"

    @property
    def ssh(self) -> Path:
        """The cloud's own key pair."""
        return self.root / "ssh"

    @property
    def image(self) -> Path:
        """The emulated VM image: programs that all workers have."""
        return self.root / "image"

    @property
    def shared(self) -> Path:
        """A folder that this machine and all workers see."""
        return self.root / "shared"

    @property
    def storage(self) -> Path:
        """The buckets."""
        return self.root / "storage"

    @property
    def workers(self) -> Path:
        """One folder per worker."""
        return self.root / "workers"

    @property
    def discarded(self) -> Path:
        """What is being deleted."""
        return self.root / "discarded"

    def make(self) -> None:
        """Create the folders, readable by this user only."""
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        for folder in (self.users, self.ssh, self.shared, self.workers, self.image / "bin"):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
