"""The server, on a port of its own: it answers while the API hangs on purpose."""

from __future__ import annotations

import traceback
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import grpc

from tpuherd.errors import TpuherdError
from tpuherd_emulator.api.service import Door
from tpuherd_emulator.control.wire import METHODS, SERVICE, packed, unpacked

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd_emulator.control.answers import Answers


def start(answers: Answers, token: str) -> tuple[grpc.Server, int]:
    """Serve on a free port of 127.0.0.1.

    Returns:
        The server, to be stopped, and its port.
    """
    server = grpc.server(ThreadPoolExecutor(8, thread_name_prefix="control"), interceptors=[Door(token)])
    handlers = {name: _handler(getattr(answers, name.lower())) for name in METHODS}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    return server, port


def _handler(answer: Callable[[Any], Any]) -> Any:
    def handle(request: bytes, call: grpc.ServicerContext) -> bytes:
        try:
            return packed(answer(unpacked(request)))
        except TpuherdError as error:
            call.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))
        except Exception as error:  # noqa: BLE001 - whatever it is, the caller is told
            traceback.print_exc()
            call.abort(grpc.StatusCode.INTERNAL, f"{type(error).__name__}: {error}")
        raise AssertionError

    return grpc.unary_unary_rpc_method_handler(handle)
