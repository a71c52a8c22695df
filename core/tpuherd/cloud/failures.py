"""What the TPU API's errors mean, and what to do about them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tpuherd.errors import ProvisionError

if TYPE_CHECKING:
    from collections.abc import Iterator

ADVICE = {
    "PERMISSION_DENIED": "check `gcloud auth application-default login`, the project, and roles/tpu.admin",
    "UNAUTHENTICATED": "log in with `gcloud auth application-default login`",
    "INVALID_ARGUMENT": "correct the `tpu` section of the job file",
    "UNAVAILABLE": "the TPU API does not answer: try again later",
    "DEADLINE_EXCEEDED": "the TPU API does not answer: try again later",
    "FAILED_PRECONDITION": "look at the resource with `gcloud compute tpus tpu-vm describe`",
}
"""Status of the call to what a user can do."""


def advice(status: str, message: str) -> str:
    """What to do about an error of the TPU API, from its status and text (peers' texts, API reference)."""
    text = message.lower()
    if status == "RESOURCE_EXHAUSTED" and "quota" in text:
        return "ask for more quota, or set `tpu.zone` or `tpu.accelerator` to what there is quota for"
    if status == "RESOURCE_EXHAUSTED":
        return (
            "no capacity: try another `tpu.zone`, or `tpu.allocation_mode: queued-resources` to wait in line"
        )
    return ADVICE.get(status, "see the message above")


def from_status(what: str, code: int, message: str) -> ProvisionError:
    """The error for a `google.rpc.Status`: of an operation, or of a queued resource."""
    import grpc

    names = {status.value[0]: status.name for status in grpc.StatusCode}
    status = names.get(code, str(code))
    return ProvisionError(f"{what}: {status}: {message}\n{advice(status, message)}")


@contextmanager
def translated(what: str) -> Iterator[None]:
    """Turn errors of the API into `ProvisionError`, except the two that callers decide on.

    Raises:
        ProvisionError: for all errors of the API but `AlreadyExists` and `NotFound`.
    """
    from google.api_core.exceptions import AlreadyExists, GoogleAPIError, NotFound
    from google.auth.exceptions import GoogleAuthError

    try:
        yield
    except (AlreadyExists, NotFound):
        raise
    except GoogleAPIError as error:
        status = _status(error)
        raise ProvisionError(f"{what}: {status}: {_text(error)}\n{advice(status, _text(error))}") from error
    except GoogleAuthError as error:
        raise ProvisionError(f"{what}: {error}\n{ADVICE['UNAUTHENTICATED']}") from error


def _status(error: Any) -> str:
    """The name of the status; that of the last error, if a repeated call was given up."""
    code = getattr(getattr(error, "cause", None) or error, "grpc_status_code", None)
    return code.name if code is not None else type(error).__name__


def _text(error: Any) -> str:
    return str(getattr(error, "message", "") or error)
