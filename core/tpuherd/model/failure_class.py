"""What kinds of failure there are."""

from __future__ import annotations

from enum import Enum


class FailureClass(Enum):
    """What kind of failure it was; this decides, not the exit code."""

    PREEMPTED = "preempted"
    MAINTENANCE = "maintenance"
    HOST_FAULT = "host-fault"
    DIRTY_DEVICE = "dirty-device"
    NETWORK = "network"
    HOST_OUT_OF_MEMORY = "host-out-of-memory"
    DEVICE_OUT_OF_MEMORY = "device-out-of-memory"
    USER_ERROR = "user-error"
    STOCKOUT = "stockout"
    QUOTA = "quota"
    AUTHORIZATION = "authorization"
    HUNG = "hung"
    UNKNOWN = "unknown"
