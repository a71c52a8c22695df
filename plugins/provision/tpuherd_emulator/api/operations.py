"""Long-running operations."""

from __future__ import annotations

import secrets
import time
from contextvars import ContextVar
from typing import Any

from google.longrunning import operations_pb2
from google.protobuf import empty_pb2

from tpuherd_emulator.api import errors
from tpuherd_emulator.api.messages import messages
from tpuherd_emulator.api.names import zone_of
from tpuherd_emulator.api.paging import page

KEPT = 1000
"""Finished operations beyond this number are forgotten, the oldest first."""

CALLER_VERSION: ContextVar[str] = ContextVar("caller_version", default="v2")
"""The API version of the request that is being answered: the operations that it starts answer in the same."""


class Operations:
    """All operations, newest last: the methods of `google.longrunning.Operations`, and what feeds them."""

    def __init__(self, project: str) -> None:
        self._project = project
        self._all: dict[str, Any] = {}

    def start(self, target: str, verb: str) -> Any:
        """Return a new operation on a resource.

        Args:
            target: Name of the resource.
            verb: `create`, `delete`, `update`, `start`, `stop` or `reset`.
        """
        identifier = f"operation-{time.time_ns() // 1_000_000}-{secrets.token_hex(8)}"
        name = f"projects/{self._project}/locations/{zone_of(target)}/operations/{identifier}"
        operation = operations_pb2.Operation(name=name)
        metadata = messages.OperationMetadata(target=target, verb=verb, api_version=CALLER_VERSION.get())
        metadata._pb.create_time.GetCurrentTime()  # noqa: SLF001 - proto-plus' way to the plain message
        operation.metadata.Pack(metadata._pb)  # noqa: SLF001
        self._all[name] = operation
        self._forget()
        return operation

    def finish(self, operation: Any, result: Any = None) -> None:
        """End an operation with a message of the TPU API, or with none (`Empty`)."""
        operation.response.Pack(empty_pb2.Empty() if result is None else type(result).pb(result))
        self._end(operation)

    def fail(self, operation: Any, error: errors.ApiError) -> None:
        """End an operation with an error."""
        operation.error.CopyFrom(error.status)
        self._end(operation)

    def get(self, request: Any) -> Any:
        """`GetOperation`."""
        return self._find(request.name)

    def list(self, request: Any) -> Any:
        """`ListOperations` of one location; filters are not supported, as they are not documented."""
        found = [op for name, op in self._all.items() if name.startswith(f"{request.name}/operations/")]
        part, token = page(found, request.page_size, request.page_token)
        return operations_pb2.ListOperationsResponse(operations=map(shown, part), next_page_token=token)

    def delete(self, request: Any) -> Any:
        """`DeleteOperation`: the client is no longer interested; the operation itself goes on."""
        self._find(request.name)
        del self._all[request.name]
        return empty_pb2.Empty()

    def cancel(self, request: Any) -> Any:
        """`CancelOperation`: best effort by its contract; it is noted, and the operation goes on."""
        operation = self._find(request.name)
        if not operation.done:
            metadata = _metadata(operation)
            metadata.cancel_requested = True
            operation.metadata.Pack(metadata)
        return empty_pb2.Empty()

    def _end(self, operation: Any) -> None:
        metadata = _metadata(operation)
        metadata.end_time.GetCurrentTime()
        operation.metadata.Pack(metadata)
        operation.done = True

    def _find(self, name: str) -> Any:
        if name not in self._all:
            raise errors.not_found(name)
        return self._all[name]

    def _forget(self) -> None:
        done = [name for name, operation in self._all.items() if operation.done]
        for name in done[: max(0, len(self._all) - KEPT)]:
            del self._all[name]


def shown(operation: Any) -> Any:
    """Return an operation as its caller reads it: packed messages have the type names of its API version."""
    package = f"google.cloud.tpu.{_metadata(operation).api_version}."
    copy = operations_pb2.Operation()
    copy.CopyFrom(operation)
    copy.metadata.type_url = copy.metadata.type_url.replace("google.cloud.tpu.v2.", package)
    if copy.HasField("response"):
        copy.response.type_url = copy.response.type_url.replace("google.cloud.tpu.v2.", package)
    return copy


def _metadata(operation: Any) -> Any:
    metadata = messages.OperationMetadata.pb(messages.OperationMetadata())
    operation.metadata.Unpack(metadata)
    return metadata
