"""A token with every call of a gRPC channel."""

from __future__ import annotations

from typing import Any, NamedTuple

import grpc


class _Details(NamedTuple):
    method: str
    timeout: float | None
    metadata: list[tuple[str, str]]
    credentials: Any
    wait_for_ready: bool | None
    compression: Any


class BearerToken(grpc.UnaryUnaryClientInterceptor):  # type: ignore[type-arg]
    """Adds `authorization: Bearer TOKEN` to every call."""

    def __init__(self, token: str) -> None:
        """Keep the token."""
        self._pair = ("authorization", f"Bearer {token}")

    def intercept_unary_unary(self, continuation: Any, details: Any, request: Any) -> Any:
        """See `grpc.UnaryUnaryClientInterceptor`."""
        metadata = [*(details.metadata or ()), self._pair]
        with_token = _Details(
            details.method,
            details.timeout,
            metadata,
            details.credentials,
            getattr(details, "wait_for_ready", None),
            getattr(details, "compression", None),
        )
        return continuation(with_token, request)
