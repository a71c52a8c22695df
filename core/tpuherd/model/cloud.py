"""How to reach a cloud."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class SshAccess:
    """How this machine logs in to workers."""

    user: str
    private_key: str
    """Path of the private key on this machine."""
    public_key: str
    """The public key itself, one OpenSSH line; put into the metadata of created nodes."""
    port: int = 22


@dataclass(frozen=True, slots=True, kw_only=True)
class Cloud:
    """A cloud that answers the TPU API: Google's, or the emulated one."""

    name: str
    project: str
    ssh: SshAccess
    tpu_endpoint: str | None = None
    """`host:port` of the TPU API over plain gRPC; `None`: Google's own, with TLS and credentials."""
    token: str | None = field(default=None, repr=False)
    """Bearer token of an emulated cloud; never written to the store."""
    shared_directory: str | None = None
    """A folder that this machine and all workers see, if the cloud has one."""
    shared_network_stack: bool = False
    """True if all workers share one loopback: ports must differ between jobs."""
    devices: str = "tpu"
    """What JAX finds on the workers: `tpu`, or `cpu` where chips are emulated."""
    worker_variables: dict[str, str] = field(default_factory=dict)
    """Variables that workloads need in order to reach the cloud's services (endpoints, no secrets)."""
