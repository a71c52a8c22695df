"""A client of the TPU API: Google's, or another one that speaks it on this machine."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tpuherd.cloud import sharing
from tpuherd.cloud.counting import count
from tpuherd.cloud.failures import translated

if TYPE_CHECKING:
    from tpuherd.model.cloud import Cloud

CALL_TIMEOUT_S = 30.0
"""Deadline of one API call; the client library has none by default."""
READ_RETRY_S = 60.0
"""How long a read is repeated while Google's API is unavailable."""
LOCAL_RETRY_S = 5.0
"""The same for an API on this machine: one that does not answer for so long has gone."""

_open: list[Any] = []
_connecting = threading.Lock()
"""Many threads that call at once share one connection."""


@lru_cache(maxsize=4)
def _connect(endpoint: str | None, token: str | None, version: str) -> Any:
    # gRPC's own handling of forks kills some children of subprocess before they become another program
    # (grpc/grpc#43055); nothing here forks and goes on with gRPC.
    os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
    client_class = import_module(f"google.cloud.tpu_{version}").TpuClient
    transport = None if endpoint is None else _local_transport(client_class, endpoint, token)
    client = client_class(transport=transport)
    _open.append(client)
    return client


def hang_up() -> None:
    """Close all connections to TPU APIs; the next call opens new ones."""
    _connect.cache_clear()
    while _open:
        _open.pop().transport.close()


def _local_transport(client_class: Any, endpoint: str, token: str | None) -> Any:
    """Plain gRPC on loopback with a bearer token: `api_endpoint` alone would insist on TLS."""
    import grpc

    from tpuherd.cloud.bearer import BearerToken

    channel = grpc.insecure_channel(endpoint)
    transport = client_class.get_transport_class("grpc")
    return transport(channel=grpc.intercept_channel(channel, BearerToken(token)) if token else channel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What one listing of the API gave."""

    items: list[Any]
    unreachable: tuple[str, ...]
    """Locations that did not answer: what they hold is not known, which is not the same as nothing."""


class TpuApi:
    """The calls that provisioning needs; every error of the API becomes a `ProvisionError`."""

    def __init__(
        self, cloud: Cloud, zone: str, *, read_retry_s: float | None = None, version: str = "v2"
    ) -> None:
        """Choose cloud and zone; the connection is made at the first call.

        Args:
            cloud: which API, and which project.
            zone: the zone of all resources that are asked for.
            read_retry_s: how long a read is repeated while the API is unavailable; default: `READ_RETRY_S`,
                or `LOCAL_RETRY_S`.
            version: of the API; `v2alpha1` knows about maintenance, and v2 does not.
        """
        self._cloud = cloud
        self._version = version
        usual_s = LOCAL_RETRY_S if cloud.tpu_endpoint else READ_RETRY_S
        self._read_retry_s = usual_s if read_retry_s is None else read_retry_s
        self.endpoint = cloud.tpu_endpoint
        self.parent = f"projects/{cloud.project}/locations/{zone}"

    def get(self, method: str, name: str) -> Any | None:
        """Read one resource of this zone by its id; `None` if there is none.

        Args:
            method: for example `get_node`.
            name: path below the zone, for example `nodes/ID`.
        """
        shared = sharing.seen(self, name)
        return self.read(method, name=f"{self.parent}/{name}") if shared is None else shared

    def read(self, method: str, **request: Any) -> Any | None:
        """Call a method that changes nothing; `None` if there is nothing of that `name`."""
        from google.api_core.exceptions import NotFound

        try:
            with translated(f"{method} {request['name']}"):
                return self._call(method, retry=_retry(self._read_retry_s), **request)
        except NotFound:
            return None

    def listed(self, method: str) -> Listing:
        """Read all resources of one kind, page by page; zone `-` stands for all zones.

        Args:
            method: `list_nodes`, `list_queued_resources`, `list_runtime_versions` …
        """
        with translated(self._what(method)):
            pages = list(self._call(method, parent=self.parent, retry=_retry(self._read_retry_s)).pages)
        items = [item for page in pages for item in _items(page)]
        unreachable = {place for page in pages for place in getattr(page, "unreachable", ())}
        return Listing(items=items, unreachable=tuple(sorted(unreachable)))

    def change(self, method: str, **request: Any) -> Any:
        """Call a method that changes something; it is not repeated by itself.

        Raises:
            ProvisionError: the API refused, with what to do about it.
            google.api_core.exceptions.AlreadyExists: the resource is there.
            google.api_core.exceptions.NotFound: it is not there.
        """
        try:
            with translated(self._what(method)):
                return self._call(method, **request)
        finally:
            sharing.wrote()

    def operation(self, name: str) -> Any | None:
        """Read a long-running operation by its full name; `None` if there is none."""
        return self.read("get_operation", name=name)

    def _call(self, method: str, **arguments: Any) -> Any:
        count(method)
        with _connecting:
            client = _connect(self._cloud.tpu_endpoint, self._cloud.token, self._version)
        retry = arguments.pop("retry", None)
        extra = {"retry": retry} if retry else {}
        return getattr(client, method)(timeout=CALL_TIMEOUT_S, request=arguments, **extra)

    def _what(self, method: str) -> str:
        return f"{method} in {self.parent}"


def _items(page: Any) -> Any:
    """The first repeated field of a list response holds the resources (AIP-4233)."""
    fields = type(page).pb(page).DESCRIPTOR.fields
    return getattr(page, next(field.name for field in fields if field.is_repeated))


def _retry(timeout_s: float) -> Any:
    from google.api_core.exceptions import ServiceUnavailable
    from google.api_core.retry import Retry, if_exception_type

    return Retry(if_exception_type(ServiceUnavailable), initial=0.1, maximum=5.0, timeout=timeout_s)
