"""Long-running operations."""

from __future__ import annotations

import secrets
import time
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from google.longrunning import operations_pb2
from google.protobuf import empty_pb2

from tpuherd_emulator.api import errors, names
from tpuherd_emulator.api.dialects import plain, repacked
from tpuherd_emulator.api.messages import INNER, messages
from tpuherd_emulator.api.paging import page

if TYPE_CHECKING:
    from tpuherd_emulator.clock import Clock

KEPT = 1000
"""Finished operations beyond this number are forgotten, the oldest first."""

CALLER_VERSION: ContextVar[str] = ContextVar("caller_version", default="v2")
"""The API version of the request that is being answered: the operations that it starts answer in the same."""


class Operations:
    """All operations, newest last: the methods of `google.longrunning.Operations`, and what feeds them."""

    def __init__(self, project: str, clock: Clock) -> None:
        self._project = project
        self._clock = clock
        self._all: dict[str, Any] = {}
        self._ended = 0

    def start(self, target: str, verb: str) -> Any:
        """Return a new operation on a resource.

        Args:
            target: Name of the resource.
            verb: `create`, `delete`, `update`, `start`, `stop` or `reset`.
        """
        identifier = f"operation-{time.time_ns() // 1_000_000}-{secrets.token_hex(8)}"
        place = names.Location(self._project, names.zone_of(target))
        operation = operations_pb2.Operation(name=f"{place}/operations/{identifier}")
        metadata = plain(
            messages.OperationMetadata(target=target, verb=verb, api_version=CALLER_VERSION.get())
        )
        self._clock.stamp(metadata.create_time)
        operation.metadata.Pack(metadata)
        self._all[operation.name] = operation
        return operation

    def finish(self, operation: Any, result: Any = None) -> None:
        """End an operation with a message of the TPU API, or with none (`Empty`)."""
        operation.response.Pack(empty_pb2.Empty() if result is None else plain(result))
        self._end(operation)

    def fail(self, operation: Any, error: errors.ApiError) -> None:
        """End an operation with an error."""
        operation.error.CopyFrom(error.status)
        self._end(operation)

    def get(self, request: Any) -> Any:
        """`GetOperation`."""
        return self._find(request.name)

    def list(self, request: Any) -> Any:
        """`ListOperations` of one location or of all (`-`); a filter is refused: none is documented."""
        place = names.location(request.name, self._project, any_zone=True)
        if request.filter:
            raise errors.invalid(f"Invalid list filter: '{request.filter}'; this server knows none")
        found = [operation for name, operation in self._all.items() if place.covers(name)]
        part, token = page(found, request.page_size, request.page_token)
        return operations_pb2.ListOperationsResponse(operations=part, next_page_token=token)

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
        self._clock.stamp(metadata.end_time)
        operation.metadata.Pack(metadata)
        operation.done = True
        self._ended += 1
        if self._ended > 2 * KEPT:  # seldom, because every look is at all of them
            self._forget()

    def _find(self, name: str) -> Any:
        names.resource(name, "operations", self._project)
        if name not in self._all:
            raise errors.not_found(name)
        return self._all[name]

    def _forget(self) -> None:
        done = [name for name, operation in self._all.items() if operation.done]
        for name in done[:-KEPT]:
            del self._all[name]
        self._ended = KEPT


def shown(operation: Any, version: str | None = None) -> Any:
    """Return an operation as its caller reads it.

    Args:
        operation: One of ours.
        version: In which version of the API the packed messages are; by default, in that of who started it.
    """
    copy = operations_pb2.Operation()
    copy.CopyFrom(operation)
    metadata = _metadata(operation)
    wanted = version or metadata.api_version
    repacked(copy.metadata, wanted)
    if copy.HasField("response"):
        if wanted == INNER and _is_end_of_queued(metadata):
            copy.response.Pack(plain(messages.QueuedResource(name=metadata.target)))
        repacked(copy.response, wanted)
    return copy


def _is_end_of_queued(metadata: Any) -> bool:
    """In v2alpha1 the deletion of a queued resource results in what it was, in v2 in nothing."""
    return metadata.verb == "delete" and "/queuedResources/" in metadata.target


def _metadata(operation: Any) -> Any:
    metadata = plain(messages.OperationMetadata())
    operation.metadata.Unpack(metadata)
    return metadata
