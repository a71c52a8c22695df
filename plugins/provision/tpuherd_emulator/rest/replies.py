"""From a reply message, or an error, to JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from google.longrunning import operations_pb2
from google.protobuf import json_format
from google.rpc import code_pb2

from tpuherd_emulator.api.operations import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tpuherd_emulator.api.errors import ApiError

_HTTP = {
    code_pb2.CANCELLED: 499,
    code_pb2.INVALID_ARGUMENT: 400,
    code_pb2.DEADLINE_EXCEEDED: 504,
    code_pb2.NOT_FOUND: 404,
    code_pb2.ALREADY_EXISTS: 409,
    code_pb2.PERMISSION_DENIED: 403,
    code_pb2.RESOURCE_EXHAUSTED: 429,
    code_pb2.FAILED_PRECONDITION: 400,
    code_pb2.ABORTED: 409,
    code_pb2.OUT_OF_RANGE: 400,
    code_pb2.UNIMPLEMENTED: 501,
    code_pb2.UNAVAILABLE: 503,
    code_pb2.UNAUTHENTICATED: 401,
}
"""Google's mapping (`google/rpc/code.proto`); everything else is 500."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer."""

    status: int
    body: bytes


def success(message: Any, version: str, query: Mapping[str, str]) -> Reply:
    """Return a message as JSON, as the query wants it."""
    encoding = query.get("$alt", query.get("alt", ""))
    told = json_format.MessageToDict(
        _in_version(message, version), use_integers_for_enums=encoding.endswith("enum-encoding=int")
    )
    return as_json(200, told, query)


def failure(error: ApiError, query: Mapping[str, str]) -> Reply:
    """Return an error in Google's form."""
    status = error.status
    code = _HTTP.get(status.code, 500)
    details = [json_format.MessageToDict(detail) for detail in status.details]
    told = {"code": code, "message": status.message, "status": code_pb2.Code.Name(status.code)}
    return as_json(code, {"error": told | ({"details": details} if details else {})}, query)


def as_json(status: int, value: Any, query: Mapping[str, str]) -> Reply:
    """Return a value as JSON; over several lines unless the query says otherwise, as Google's servers do."""
    pretty = query.get("$prettyPrint", query.get("prettyPrint", "true")).lower() not in {"false", "0"}
    return Reply(status, json.dumps(value, indent=2 if pretty else None).encode() + b"\n")


def _in_version(message: Any, version: str) -> Any:
    """Operations in the version of the URL: a client that has one version could read no other."""
    if isinstance(message, operations_pb2.Operation):
        return shown(message, version)
    if isinstance(message, operations_pb2.ListOperationsResponse):
        found = [shown(operation, version) for operation in message.operations]
        return operations_pb2.ListOperationsResponse(
            operations=found, next_page_token=message.next_page_token
        )
    return message
