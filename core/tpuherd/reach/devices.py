"""Who holds which TPU device."""

from __future__ import annotations

from typing import Any


def by_device(worker: int, answer: dict[str, Any]) -> list[dict[str, Any]]:
    """One row for each device and each process that holds it; one without a process for a free device.

    Args:
        worker: index of the worker.
        answer: what its agent said about `devices`.
    """
    rows = []
    for device in answer["devices"]:
        holders = [holder for holder in answer["holders"] if device in holder["devices"]]
        for holder in holders or [{"pid": None, "attempt": None, "command": ""}]:
            known = {name: holder[name] for name in ("pid", "attempt", "command")}
            rows.append({"worker": worker, "device": device} | known)
    return rows
