"""Errors of the TPU API as errors of tpuherd."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tpuherd.cloud.classification import NO_LOGIN, Answer, meaning_of, meaning_of_end, without_event_id
from tpuherd.cloud.refusals import CloudRefused

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def from_status(what: str, status: Any) -> CloudRefused:
    """The error for the `google.rpc.Status` in which an operation or a queued resource has ended.

    Args:
        what: what has failed, for the message.
        status: the plain protobuf message, with its details.
    """
    answer = _answer(_name(status.code), status.message, map(_unpacked, status.details))
    return CloudRefused(f"{what}: {answer.status}: {answer.text}", meaning_of_end(answer))


@contextmanager
def translated(what: str) -> Iterator[None]:
    """Turn errors of the API into `CloudRefused`, except the two that callers decide on.

    Raises:
        CloudRefused: for all errors of the API but `AlreadyExists` and `NotFound`.
    """
    from google.api_core.exceptions import AlreadyExists, GoogleAPIError, NotFound
    from google.auth.exceptions import GoogleAuthError

    try:
        yield
    except (AlreadyExists, NotFound):
        raise
    except GoogleAPIError as error:
        answer = answer_of(error)
        raise CloudRefused(f"{what}: {answer.status}: {answer.text}", meaning_of(answer)) from error
    except GoogleAuthError as error:
        raise CloudRefused(f"{what}: {error}", NO_LOGIN) from error


def answer_of(error: Any) -> Answer:
    """What an error of `google.api_core` says; the last one, if a repeated call was given up."""
    last = getattr(error, "cause", None) or error
    code = getattr(last, "grpc_status_code", None)
    status = code.name if code is not None else type(last).__name__
    return _answer(status, _text(last if code is not None else error), getattr(last, "details", ()))


def _answer(status: str, text: str, details: Iterable[Any]) -> Answer:
    from google.rpc.error_details_pb2 import ErrorInfo, QuotaFailure

    given = list(details)
    violations = [one for detail in given if isinstance(detail, QuotaFailure) for one in detail.violations]
    return Answer(
        status=status,
        text=without_event_id(text),
        reasons=tuple(detail.reason for detail in given if isinstance(detail, ErrorInfo)),
        quotas=tuple(f"{violation.subject} {violation.description}" for violation in violations),
    )


def _name(code: int) -> str:
    import grpc

    names = {status.value[0]: status.name for status in grpc.StatusCode}
    return names.get(code, str(code))


def _unpacked(detail: Any) -> Any:
    """A detail of a status as its own message; as it is, if it is of no kind that says something to us."""
    from google.rpc.error_details_pb2 import ErrorInfo, QuotaFailure

    for kind in (ErrorInfo, QuotaFailure):
        if detail.Is(kind.DESCRIPTOR):
            message = kind()
            detail.Unpack(message)
            return message
    return detail


def _text(error: Any) -> str:
    return str(getattr(error, "message", "") or error)
