"""The errors of the TPU API.

The texts are those of Google's API where public threads quote them (`Resource '…' was not found`, `Location …
is not found or access is unauthorized.`, `Cloud TPU received a bad request. … is not supported while in
state … [EID: …]`). Nothing public says what the API answers to an unknown accelerator type or
runtime version beyond the code INVALID_ARGUMENT: those texts are this emulator's own, and so are those of
FAILED_PRECONDITION.
"""

from __future__ import annotations

import secrets

from google.rpc import code_pb2, error_details_pb2, status_pb2

DOMAIN = "tpu.googleapis.com"


class ApiError(Exception):
    """An answer that is no success."""

    def __init__(self, code: int, message: str, reason: str = "", domain: str = DOMAIN) -> None:
        super().__init__(message)
        self.status = status_pb2.Status(code=code, message=message)
        if reason:
            self.status.details.add().Pack(error_details_pb2.ErrorInfo(reason=reason, domain=domain))


def not_found(name: str) -> ApiError:
    """There is no such resource."""
    return ApiError(code_pb2.NOT_FOUND, f"Resource '{name}' was not found", "RESOURCE_NOT_FOUND")


def already_exists(name: str) -> ApiError:
    """The id is taken, also by something that is being deleted."""
    return ApiError(code_pb2.ALREADY_EXISTS, f"Resource '{name}' already exists", "RESOURCE_ALREADY_EXISTS")


def invalid(message: str) -> ApiError:
    """The request makes no sense, whatever the state of things."""
    return ApiError(code_pb2.INVALID_ARGUMENT, message)


def wrong_state(verb: str, state: str) -> ApiError:
    """The resource is in a state that forbids the request; the real API says INVALID_ARGUMENT here."""
    return ApiError(
        code_pb2.INVALID_ARGUMENT,
        f"Cloud TPU received a bad request. {verb} is not supported while in state {state} {event_id()}",
    )


def failed_precondition(message: str) -> ApiError:
    """Something else has to be done first."""
    return ApiError(code_pb2.FAILED_PRECONDITION, message)


def location_denied(location: str) -> ApiError:
    """The API does not tell zones that do not exist from zones that one may not use."""
    return ApiError(
        code_pb2.PERMISSION_DENIED,
        f"Location {location} is not found or access is unauthorized.",
        "LOCATION_POLICY_VIOLATED",
    )


def permission_denied(permission: str, resource: str) -> ApiError:
    """The caller may not do this to that project."""
    return ApiError(
        code_pb2.PERMISSION_DENIED,
        f"Permission '{permission}' denied on '{resource}'",
        "IAM_PERMISSION_DENIED",
        "iam.googleapis.com",
    )


def internal(message: str) -> ApiError:
    """The emulator itself could not do what it should; the text says why."""
    return ApiError(code_pb2.INTERNAL, message)


def cancelled(message: str) -> ApiError:
    """The operation was overtaken by a later request."""
    return ApiError(code_pb2.CANCELLED, message)


def event_id() -> str:
    """The end of many texts of the real API; it differs each time."""
    return f"[EID: 0x{secrets.token_hex(8)}]"
