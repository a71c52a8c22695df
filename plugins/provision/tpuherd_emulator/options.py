"""What can be set about an emulated cloud."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tpuherd.errors import ConfigError

Span = float | tuple[float, float]
"""A time span in seconds, or the bounds of a random one."""

ZONE = re.compile(r"[a-z]+-[a-z]+\d+-[a-z][a-z0-9]*")
"""What a zone looks like."""

CLOCKS = ("real", "manual")
WORKERS = ("ssh", "none")


@dataclass(frozen=True, slots=True, kw_only=True)
class EmulatorOptions:
    """The settings of an emulated cloud, fixed when it is started. Times are emulated seconds."""

    create_s: Span = 0.2
    """Time until the workers of a CREATING or STARTING node are powered on; it is READY when they answer."""
    delete_s: Span = 0.05
    """Time that a node stays DELETING or STOPPING before its workers are powered off."""
    queue_s: Span = 0.1
    """Time that a queued resource stays in each of ACCEPTED, WAITING_FOR_RESOURCES and PROVISIONING."""
    preemptible_limit_s: float = 24 * 3600.0
    """Life of a node that is `preemptible` (not `spot`), after which it is TERMINATED."""
    clock: str = "real"
    """`real`, or `manual`: time stands still until `cloud.tick`."""
    speed: float = 1.0
    """Emulated seconds per real second of a real clock."""
    seed: int | None = None
    """Of random times and rates; `None`: different each time."""
    workers: str = "ssh"
    """`ssh`: every worker is an SSH server; `none`: workers are addresses, and nothing answers there."""
    backend: str = "auto"
    """`auto`, or SANDBOX+SERVER: `bwrap`, `unshare` or `none`, and `sshd` or `builtin`."""
    project: str = "emulated-project"
    ssh_port: int = 0
    """Port of all SSH servers; 0: a free one. `gcloud compute tpus tpu-vm ssh` wants 22."""
    zones: tuple[str, ...] = ()
    """Zones that exist besides those where Google sells TPUs; they offer every accelerator."""


def check(options: EmulatorOptions) -> EmulatorOptions:
    """Return the options, if a cloud can have them.

    Raises:
        ConfigError: One of them makes no sense.
    """
    for name, value, known in (
        ("clock", options.clock, CLOCKS),
        ("workers", options.workers, WORKERS),
    ):
        if value not in known:
            raise ConfigError(f"{name} {value!r}: it must be one of {', '.join(known)}")
    if options.speed <= 0:
        raise ConfigError(f"speed {options.speed:g}: it must be greater than 0; `clock` manual stops time")
    if not 0 <= options.ssh_port <= 65_535:
        raise ConfigError(f"ssh_port {options.ssh_port}: it must be a port, or 0 for a free one")
    for zone in options.zones:
        if not ZONE.fullmatch(zone):
            raise ConfigError(f"zones {zone!r}: it must look like a zone, for example us-test1-a")
    for name in ("create_s", "delete_s", "queue_s"):
        least_s, most_s = bounds(getattr(options, name))
        if not 0 <= least_s <= most_s:
            raise ConfigError(f"{name} {least_s:g}..{most_s:g}: it must be a time span, or LEAST..MOST")
    return options


def bounds(span: Span) -> tuple[float, float]:
    """The shortest and the longest of a time span."""
    if isinstance(span, (int, float)):
        return float(span), float(span)
    least_s, most_s = span  # a list, where it comes from JSON
    return float(least_s), float(most_s)


def parse_span(text: str, name: str) -> Span:
    """Read `1.5` or `1..5`.

    Raises:
        ConfigError: It is neither.
    """
    least, dots, most = text.partition("..")
    try:
        return (float(least), float(most)) if dots else float(least)
    except ValueError as error:
        raise ConfigError(f"{name} {text!r}: write seconds, for example 1.5, or bounds: 1..5") from error
