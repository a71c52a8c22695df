"""All faults by name: where each one strikes, and what it does."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from tpuherd.config.choices import nearest
from tpuherd.errors import ConfigError


class Strikes(Enum):
    """Where a fault strikes."""

    CALL = "an API call"
    CREATE = "a creation"
    OPERATION = "an operation"
    NODE = "a node"
    WORKER = "a worker"
    QUEUE = "a queued resource"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One sort of fault."""

    name: str
    strikes: Strikes
    help: str
    values: tuple[str, ...] = ()
    """What `value` may be, the default first; empty: it has none."""

    @property
    def happens(self) -> bool:
        """True if it happens to what exists; else it waits for a request, and answers it."""
        return self.strikes in {Strikes.NODE, Strikes.WORKER, Strikes.QUEUE}


def _kinds(strikes: Strikes, *rows: tuple[str, str] | tuple[str, str, tuple[str, ...]]) -> list[Kind]:
    return [
        Kind(name=row[0], strikes=strikes, help=row[1], values=row[2] if len(row) > 2 else ()) for row in rows
    ]


_HEALTH = ("UNHEALTHY_MAINTENANCE", "UNHEALTHY_TENSORFLOW", "TIMEOUT")
_SYMPTOMS = (
    "OUT_OF_MEMORY", "LOW_MEMORY", "HBM_OUT_OF_MEMORY", "EXECUTE_TIMED_OUT", "MESH_BUILD_FAIL",
    "PROJECT_ABUSE",
)  # fmt: skip

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        *_kinds(
            Strikes.CALL,
            ("api-down", "Calls are answered with 503 UNAVAILABLE."),
            ("api-error", "Calls are answered with --code and --text."),
            ("api-slow", "Calls are answered --delay-s real seconds later."),
            ("api-hang", "Calls are not answered until their deadline."),
            ("api-reset", "Calls lose their connection."),
            ("rate-limit", "Calls are answered with 429 RESOURCE_EXHAUSTED."),
            ("permission", "Calls are refused with 403 PERMISSION_DENIED."),
        ),
        *_kinds(
            Strikes.CREATE,
            ("quota", "Creations are refused: the quota is exhausted.", ("region", "zone", "limit")),
            ("stockout", "Creations fail: the zone has no capacity. Queued resources wait."),
            ("reserved-capacity", "Creations fail: insufficient reserved capacity."),
            ("preempted-in-creation", "Creations fail: the node is preempted before it is READY."),
            ("create-error", "Creations fail with --code and --text."),
        ),
        *_kinds(
            Strikes.OPERATION,
            ("slow-operation", "Operations take --delay-s longer; workers of a new node serve meanwhile."),
            ("lost-operation", "What was asked for happens, but the operation is never done."),
            ("stuck", "The node never leaves CREATING or DELETING, though its workers serve."),
        ),
        *_kinds(
            Strikes.NODE,
            ("preempt", "Nodes are preempted, --notice-s after their metadata says so."),
            ("terminated", "Nodes become TERMINATED."),
            (
                "maintenance",
                "Maintenance is announced; after --notice-s workers go down for --delay-s.",
                ("UNSCHEDULED", "SCHEDULED"),
            ),
            ("repairing", "Nodes are REPAIRING for --delay-s, then READY or UNKNOWN.", ("READY", "UNKNOWN")),
            ("restarting", "Nodes are RESTARTING for --delay-s; their workers boot again."),
            ("reimaging", "Nodes are REIMAGING for --delay-s; their workers boot with an empty disk."),
            ("hidden", "Nodes become HIDDEN.", ("HIDDEN", "HIDING", "UNHIDING")),
            ("unhealthy", "Nodes say that they are not healthy, with --text as description.", _HEALTH),
            ("symptom", "Nodes report a symptom of a worker.", _SYMPTOMS),
            ("heal", "Nodes are READY and HEALTHY again, and all their workers answer."),
        ),
        *_kinds(
            Strikes.WORKER,
            ("unreachable-worker", "Workers do not answer over SSH; what runs on them goes on."),
            ("frozen-worker", "All processes of workers stand still (SIGSTOP)."),
            ("power-off", "Workers lose power; the API does not notice."),
            ("dirty-device", "A stale process on workers holds /tmp/libtpu_lockfile."),
        ),
        *_kinds(Strikes.QUEUE, ("suspended-queue", "Queued resources are suspended by the service.")),
    )
}
"""Every fault by its name."""


def kind_of(name: str) -> Kind:
    """Return a sort of fault.

    Raises:
        ConfigError: There is none of that name; the message names the nearest.
    """
    if name not in KINDS:
        raise ConfigError(f"there is no fault {name!r}; {nearest(name, sorted(KINDS))}")
    return KINDS[name]
