"""What a running emulated cloud says about itself, in `cloud.json`."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from tpuherd_emulator.files import write_private

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudInfo:
    """How to use an emulated cloud, and how to recognize its daemon."""

    pid: int
    pid_started: int
    """Start time of `pid` in clock ticks since boot (field 22 of `/proc/PID/stat`): pids are reused."""
    project: str
    tpu_endpoint: str
    """`127.0.0.1:PORT` of the TPU API, gRPC without TLS."""
    rest_url: str = field(repr=False)
    """The TPU API over REST, for gcloud and others: holds a token of its own, no slash at the end."""
    control_endpoint: str
    """`127.0.0.1:PORT` of `tpuherd_emulator.control`, with the same token."""
    storage_url: str = field(repr=False)
    """Holds the store's own token."""
    token: str = field(repr=False)
    """Bearer token of the TPU API."""
    ssh_user: str
    ssh_port: int
    """The same for all workers; each has its own address."""
    private_key: str
    """Path of the key that logs in to every worker."""
    public_key: str
    """One OpenSSH line."""
    shared_directory: str
    """A folder that this machine and all workers see."""
    backend: str
    """SANDBOX+SERVER, for example `bwrap+sshd`."""
    shared_network_stack: bool = True
    """All workers listen on this machine's loopback: the ports of two jobs must differ."""
    worker_variables: dict[str, str] = field(default_factory=dict, repr=False)
    """Variables that workloads need to reach the emulated services."""


def save(info: CloudInfo, path: Path) -> None:
    """Write `cloud.json` at once and readable by this user only: it holds the token."""
    write_private(path, json.dumps(asdict(info), indent=1))


def load(path: Path) -> CloudInfo | None:
    """Read `cloud.json`; `None` if there is none, or if it is not one that this version wrote."""
    try:
        return CloudInfo(**json.loads(path.read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        return None
