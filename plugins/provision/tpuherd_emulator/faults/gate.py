"""Faults of API calls: asked before each call, over gRPC and REST alike."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from google.rpc import code_pb2

from tpuherd_emulator.api import errors
from tpuherd_emulator.faults.codes import CODES
from tpuherd_emulator.faults.fault import Subject

if TYPE_CHECKING:
    from tpuherd_emulator.faults.fault import Fault
    from tpuherd_emulator.faults.injector import Injector

HANG_S = 600.0
"""A call that hangs is answered after this time, when its client has long gone."""

KINDS = ("api-slow", "api-hang", "api-down", "api-error", "api-reset", "rate-limit", "permission")


class Gate:
    """Lets a call pass, late or not at all."""

    def __init__(self, injector: Injector) -> None:
        self._injector = injector

    def __call__(self, method: str, request: Any) -> None:
        """Let one call meet the faults that wait for it.

        Args:
            method: For example `CreateNode`.
            request: Its message.

        Raises:
            ApiError: What the call is answered with.
        """
        subject = _subject(method, request)
        slow = self._injector.take(subject, "api-slow")
        if slow is not None:
            time.sleep(slow.delay_s)
        fault = self._injector.take(subject, *KINDS[1:])
        if fault is not None:
            self._strike(fault, subject)

    def _strike(self, fault: Fault, subject: Subject) -> None:
        if fault.kind == "api-hang":
            self._injector.wait_cleared(fault.delay_s or HANG_S)
        raise _answer(fault, subject)


def _answer(fault: Fault, subject: Subject) -> errors.ApiError:
    match fault.kind:
        case "permission":
            return errors.location_denied(subject.zone)
        case "rate-limit":
            text = fault.text or RATE_LIMIT
            return errors.ApiError(code_pb2.RESOURCE_EXHAUSTED, text, "RATE_LIMIT_EXCEEDED")
        case "api-reset":
            return errors.ApiError(code_pb2.UNAVAILABLE, "recvmsg:Connection reset by peer")
        case "api-error":
            return errors.ApiError(CODES[fault.code], fault.text or UNAVAILABLE)
        case _:
            return errors.ApiError(code_pb2.UNAVAILABLE, fault.text or UNAVAILABLE)


UNAVAILABLE = "Internal error. Please try again"
"""The text of the real API."""

RATE_LIMIT = (
    "Quota exceeded for quota metric 'Requests' and limit 'Requests per minute' "
    "of service 'tpu.googleapis.com'"
)
"""In the form that Google's APIs share; nothing public shows one of the TPU API."""


def _subject(method: str, request: Any) -> Subject:
    """The zone and the last part of the name that a request is about, as far as it says so."""
    name = str(getattr(request, "name", "") or getattr(request, "parent", ""))
    parts = name.split("/")
    zone = parts[3] if len(parts) > 3 else ""
    own = str(getattr(request, "node_id", "") or getattr(request, "queued_resource_id", ""))
    return Subject(zone=zone, name=own or (parts[-1] if len(parts) > 4 else ""), method=method)
