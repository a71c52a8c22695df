"""A gRPC server between client and cloud: it counts calls, and can answer in the cloud's place."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import grpc
from google.cloud.tpu_v2 import ListNodesRequest, ListNodesResponse

from tpuherd.cloud.client import hang_up

if TYPE_CHECKING:
    from collections.abc import Iterator


class PassingApi(grpc.GenericRpcHandler):
    """Passes every call on as bytes."""

    def __init__(self, target: str) -> None:
        self.calls: Counter[str] = Counter()
        self.down = False
        """Answer UNAVAILABLE, as an API that is away does."""
        self.page_size = 0
        self.unreachable: tuple[str, ...] = ()
        self._channel = grpc.insecure_channel(target)

    def service(self, details: Any) -> Any:
        method = details.method.rpartition("/")[2]

        def pass_on(request: bytes, context: grpc.ServicerContext) -> bytes:
            self.calls[method] += 1
            if self.down:
                context.abort(grpc.StatusCode.UNAVAILABLE, "Internal error. Please try again")
            asked = self._asked(method, request)
            try:
                answer = self._channel.unary_unary(details.method)(
                    asked, metadata=details.invocation_metadata
                )
            except grpc.RpcError as error:
                context.abort(error.code(), error.details())
            return self._answered(method, answer)

        return grpc.unary_unary_rpc_method_handler(pass_on)

    def _asked(self, method: str, request: bytes) -> bytes:
        if method != "ListNodes" or not self.page_size:
            return request
        changed = ListNodesRequest.deserialize(request)
        changed.page_size = self.page_size
        return ListNodesRequest.serialize(changed)

    def _answered(self, method: str, answer: bytes) -> bytes:
        if method != "ListNodes" or not self.unreachable:
            return answer
        changed = ListNodesResponse.deserialize(answer)
        changed.unreachable = list(self.unreachable)
        return ListNodesResponse.serialize(changed)


@contextmanager
def passing(cloud: Any) -> Iterator[tuple[PassingApi, Any]]:
    """A passing API, and the cloud as it is reached through it."""
    api = PassingApi(cloud.tpu_endpoint)
    server = grpc.server(ThreadPoolExecutor(8))
    server.add_generic_rpc_handlers((api,))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield api, replace(cloud, tpu_endpoint=f"127.0.0.1:{port}")
    finally:
        hang_up()
        server.stop(None).wait()
        api._channel.close()
