"""The gRPC server."""

from __future__ import annotations

import hmac
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import grpc
from google.longrunning import operations_pb2
from grpc_status import rpc_status

from tpuherd_emulator.api.errors import ApiError
from tpuherd_emulator.api.messages import VERSIONS
from tpuherd_emulator.api.methods import TPU
from tpuherd_emulator.api.operations import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tpuherd_emulator.api.calls import Calls
    from tpuherd_emulator.api.methods import Method


def start(calls: Calls, token: str) -> tuple[grpc.Server, int]:
    """Serve on a free port of 127.0.0.1.

    Returns:
        The server, to be stopped, and its port.
    """
    server = grpc.server(ThreadPoolExecutor(16, thread_name_prefix="api"), interceptors=[Door(token)])
    for name, handlers in _services(calls):
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(name, handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    return server, port


class Door(grpc.ServerInterceptor):  # type: ignore[type-arg]
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


def _services(calls: Calls) -> Iterator[tuple[str, dict[str, Any]]]:
    """Services by their full names; only that of the TPU API has a version."""
    for service in sorted({method.service for method in calls.methods.values()}):
        for version in VERSIONS if service == TPU else VERSIONS[:1]:
            known = [
                method
                for method in calls.methods.values()
                if method.service == service and version in method.versions
            ]
            handlers = {method.name: _handler(calls, method, version) for method in known}
            yield (f"google.cloud.tpu.{version}.Tpu" if service == TPU else service), handlers


def _handler(calls: Calls, method: Method, version: str) -> Any:
    def answer(request: Any, call: grpc.ServicerContext) -> bytes:
        try:
            return _serialized(calls.answer(method.name, version, request))
        except ApiError as error:
            call.abort_with_status(rpc_status.to_status(error.status))
            raise

    return grpc.unary_unary_rpc_method_handler(
        answer, request_deserializer=method.request_class(version).FromString
    )


def _serialized(reply: Any) -> bytes:
    """Operations speak the version of who started them: their own service has none."""
    if isinstance(reply, operations_pb2.Operation):
        reply = shown(reply)
    elif isinstance(reply, operations_pb2.ListOperationsResponse):
        started = [shown(operation) for operation in reply.operations]
        reply = operations_pb2.ListOperationsResponse(
            operations=started, next_page_token=reply.next_page_token
        )
    return bytes(reply.SerializeToString())
