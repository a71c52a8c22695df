"""What can be set about an emulated cloud."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class EmulatorOptions:
    """The settings of an emulated cloud, fixed when it is started."""

    create_s: float = 0.2
    """Least time that a node stays CREATING; longer if its workers take longer to answer."""
    delete_s: float = 0.05
    """Time that a node stays DELETING or STOPPING before its workers are powered off."""
    queue_s: float = 0.1
    """Time that a queued resource stays in each of ACCEPTED, WAITING_FOR_RESOURCES and PROVISIONING."""
    backend: str = "auto"
    """`auto`, or SANDBOX+SERVER: `bwrap`, `unshare` or `none`, and `sshd` or `builtin`."""
    project: str = "emulated-project"
