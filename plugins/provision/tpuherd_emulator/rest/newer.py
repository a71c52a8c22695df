"""Fields that gcloud sends and that Google's client library for Python does not know yet.

The messages here are those of that library (google-cloud-tpu 1.28), and gcloud (528) is ahead of it. The real
API knows these fields; here they are dropped, and everything else that is unknown is refused.
"""

from __future__ import annotations

from typing import Any

NEWER = frozenset(
    ("provisioningModel", "runDuration", "trafficConfig", "terminationTimestamp", "diskSizeGb", "sourceImage",
     "provisionedIops", "provisionedThroughput")
)  # fmt: skip
"""Wherever they are: no message has another field of one of these names."""

_NEWER_IN = {
    "dataDisks": frozenset(("workerIds",)),
    "schedulingConfig": frozenset(("reservationName",)),
    "node": frozenset(("upcomingMaintenance",)),
}
"""In messages that are the value of such a key only."""


def without_newer(body: dict[str, Any]) -> dict[str, Any]:
    """Return the body of a request without those fields; the contents of maps are left alone."""
    return _clean(body, frozenset())


def _clean(body: dict[str, Any], more: frozenset[str]) -> dict[str, Any]:
    return {
        key: value if key in {"labels", "metadata"} else _value(key, value)
        for key, value in body.items()
        if key not in NEWER | more
    }


def _value(key: str, value: Any) -> Any:
    if isinstance(value, dict):
        return _clean(value, _NEWER_IN.get(key, frozenset()))
    if isinstance(value, list):
        return [_value(key, item) for item in value]
    return value
