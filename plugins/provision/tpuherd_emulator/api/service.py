"""The gRPC server: which method is answered by what, for every version of the API."""

from __future__ import annotations

import hmac
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import grpc
from google.cloud.location import locations_pb2
from google.longrunning import operations_pb2
from grpc_status import rpc_status

from tpuherd.errors import TpuherdError
from tpuherd_emulator.api.catalog import Catalog
from tpuherd_emulator.api.errors import ApiError, internal
from tpuherd_emulator.api.messages import messages
from tpuherd_emulator.api.operations import CALLER_VERSION, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tpuherd_emulator.api.context import Context
    from tpuherd_emulator.api.nodes import Nodes
    from tpuherd_emulator.api.queued_resources import QueuedResources

VERSIONS = ("v2", "v2alpha1")
"""Their messages agree in the numbers of all fields that both have, so one implementation serves both."""


@dataclass(frozen=True, slots=True)
class Method:
    """One method of the API."""

    request: Any
    """Class of the request message."""
    answer: Callable[[Any], Any]


def tpu_methods(nodes: Nodes, queued: QueuedResources, catalog: Catalog) -> dict[str, Method]:
    """Return the methods of `google.cloud.tpu.*.Tpu`."""
    return {
        "CreateNode": Method(messages.CreateNodeRequest, nodes.create),
        "GetNode": Method(messages.GetNodeRequest, nodes.get),
        "ListNodes": Method(messages.ListNodesRequest, nodes.list),
        "DeleteNode": Method(messages.DeleteNodeRequest, nodes.delete),
        "StopNode": Method(messages.StopNodeRequest, nodes.stop),
        "StartNode": Method(messages.StartNodeRequest, nodes.start),
        "UpdateNode": Method(messages.UpdateNodeRequest, nodes.update),
        "GetGuestAttributes": Method(messages.GetGuestAttributesRequest, nodes.get_guest_attributes),
        "CreateQueuedResource": Method(messages.CreateQueuedResourceRequest, queued.create),
        "GetQueuedResource": Method(messages.GetQueuedResourceRequest, queued.get),
        "ListQueuedResources": Method(messages.ListQueuedResourcesRequest, queued.list),
        "DeleteQueuedResource": Method(messages.DeleteQueuedResourceRequest, queued.delete),
        "ResetQueuedResource": Method(messages.ResetQueuedResourceRequest, queued.reset),
        "GetAcceleratorType": Method(messages.GetAcceleratorTypeRequest, catalog.get_accelerator_type),
        "ListAcceleratorTypes": Method(messages.ListAcceleratorTypesRequest, catalog.list_accelerator_types),
        "GetRuntimeVersion": Method(messages.GetRuntimeVersionRequest, catalog.get_runtime_version),
        "ListRuntimeVersions": Method(messages.ListRuntimeVersionsRequest, catalog.list_runtime_versions),
    }


def common_methods(context: Context, catalog: Catalog) -> dict[str, dict[str, Method]]:
    """Return the methods that all of Google's APIs have, by service."""
    operations = context.operations
    return {
        "google.longrunning.Operations": {
            "GetOperation": Method(operations_pb2.GetOperationRequest, operations.get),
            "ListOperations": Method(operations_pb2.ListOperationsRequest, operations.list),
            "DeleteOperation": Method(operations_pb2.DeleteOperationRequest, operations.delete),
            "CancelOperation": Method(operations_pb2.CancelOperationRequest, operations.cancel),
        },
        "google.cloud.location.Locations": {
            "GetLocation": Method(locations_pb2.GetLocationRequest, catalog.get_location),
        },
    }


def start(context: Context, nodes: Nodes, queued: QueuedResources, token: str) -> tuple[grpc.Server, int]:
    """Serve on a free port of 127.0.0.1.

    Returns:
        The server, to be stopped, and its port.
    """
    catalog = Catalog(context.project)
    server = grpc.server(ThreadPoolExecutor(16, thread_name_prefix="api"), interceptors=[_Door(token)])
    tpu = tpu_methods(nodes, queued, catalog)
    services = {f"google.cloud.tpu.{version}.Tpu": (version, tpu) for version in VERSIONS}
    services |= {name: ("v2", methods) for name, methods in common_methods(context, catalog).items()}
    for name, (version, methods) in services.items():
        handlers = {method: _handler(context, entry, version) for method, entry in methods.items()}
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(name, handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    return server, port


class _Door(grpc.ServerInterceptor):  # type: ignore[type-arg]
    """Lets in who has the token."""

    def __init__(self, token: str) -> None:
        self._expected = f"Bearer {token}".encode()
        self._refuse = grpc.unary_unary_rpc_method_handler(_refuse)

    def intercept_service(self, continuation: Any, handler_call_details: Any) -> Any:
        """Answer UNAUTHENTICATED unless the request carries `authorization: Bearer TOKEN`."""
        shown_tokens = _authorizations(handler_call_details.invocation_metadata)
        known = any(hmac.compare_digest(shown_token, self._expected) for shown_token in shown_tokens)
        return continuation(handler_call_details) if known else self._refuse


def _authorizations(metadata: Sequence[tuple[str, str | bytes]]) -> list[bytes]:
    values = (value for key, value in metadata if key == "authorization")
    return [value if isinstance(value, bytes) else value.encode() for value in values]


def _refuse(request: bytes, context: grpc.ServicerContext) -> bytes:  # noqa: ARG001
    context.abort(
        grpc.StatusCode.UNAUTHENTICATED,
        "Request had invalid authentication credentials: send the metadata 'authorization: Bearer TOKEN' "
        "with the token of the emulated cloud",
    )
    raise AssertionError


def _handler(context: Context, method: Method, version: str) -> Any:
    def answer(request: Any, call: grpc.ServicerContext) -> Any:
        CALLER_VERSION.set(version)
        try:
            with context.scheduler.lock:
                return _serialized(method.answer(request))
        except ApiError as error:
            call.abort_with_status(rpc_status.to_status(error.status))
            raise
        except TpuherdError as error:
            call.abort_with_status(rpc_status.to_status(internal(str(error)).status))
            raise

    parse = getattr(method.request, "deserialize", None) or method.request.FromString
    return grpc.unary_unary_rpc_method_handler(answer, request_deserializer=parse)


def _serialized(reply: Any) -> bytes:
    """Under the lock, so that a reply is a state that there was."""
    if isinstance(reply, operations_pb2.Operation):
        return bytes(shown(reply).SerializeToString())
    if hasattr(type(reply), "serialize"):
        return bytes(type(reply).serialize(reply))
    return bytes(reply.SerializeToString())
