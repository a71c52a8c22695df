"""What ails a node, in words: health, symptoms of its workers, upcoming maintenance."""

from __future__ import annotations

from typing import Any

WELL = frozenset({"HEALTHY", "HEALTH_UNSPECIFIED"})


def ailments(node: Any) -> str:
    """All that the API says of a node beyond its state; empty if it is well.

    Args:
        node: a `Node` of v2, or of v2alpha1, which alone knows of maintenance.
    """
    return "; ".join(filter(None, [*_health(node), *map(_symptom, node.symptoms), maintenance(node)]))


def _health(node: Any) -> list[str]:
    found = [] if node.health.name in WELL else [node.health.name]
    return [": ".join([*found, node.health_description])] if node.health_description else found


def _symptom(symptom: Any) -> str:
    details = f" ({symptom.details})" if symptom.details else ""
    return f"worker {symptom.worker_id}: {symptom.symptom_type.name}{details}"


def maintenance(node: Any) -> str:
    """Upcoming or ongoing maintenance of a node in words; empty: none is known of."""
    if "upcoming_maintenance" not in type(node).meta.fields or "upcoming_maintenance" not in node:
        return ""
    event = node.upcoming_maintenance
    begins = f", it begins at {event.window_start_time}" if event.window_start_time else ""
    return f"{event.type_.name.lower()} maintenance is {event.maintenance_status.name.lower()}{begins}"
