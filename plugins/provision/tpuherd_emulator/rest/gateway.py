"""What answers HTTP requests: the token, the version, the route, the call."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit

from google.rpc import code_pb2

from tpuherd_emulator.api.errors import ApiError
from tpuherd_emulator.rest import replies, requests, routes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd_emulator.api.calls import Calls
    from tpuherd_emulator.rest.neighbours import Neighbours
    from tpuherd_emulator.rest.replies import Reply

VERSIONS = {"v2": "v2", "v2alpha1": "v2alpha1", "v1": "v2"}
"""Version in the URL to version of the messages."""

OF_V1 = frozenset(
    ("GetLocation", "ListLocations", "GetAcceleratorType", "ListAcceleratorTypes", "GetOperation")
)
"""The methods of `v1` that are the same there: gcloud's commands without `tpu-vm` ask them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """Everything behind the listening socket."""

    calls: Calls
    neighbours: Neighbours
    """The few answers of other APIs that gcloud needs."""
    token: str

    def answer(self, verb: str, target: str, body: bytes) -> Reply:
        """Answer one request.

        Args:
            verb: HTTP method.
            target: Path and query, the path beginning with the token.
            body: As it was sent.
        """
        split = urlsplit(target)
        query = parse_qsl(split.query, keep_blank_values=True)
        try:
            return self._answer(verb, self._below_token(split.path), query, body)
        except ApiError as error:
            return replies.failure(error, dict(query))

    def _answer(self, verb: str, path: str, query: Sequence[tuple[str, str]], body: bytes) -> Reply:
        found = self.neighbours.answer(verb, path, body)
        if found is not None:
            return replies.as_json(200, found, dict(query))
        version, _, rest = path.partition("/")
        match = routes.find(verb, unquote(rest))
        method = self.calls.methods.get(match.route.method) if match else None
        spoken = VERSIONS.get(version, "")
        if match is None or method is None or spoken not in method.versions:
            raise _no_such_url(verb, path)
        if version == "v1" and method.name not in OF_V1:
            raise _no_such_url(verb, path)
        request = requests.message(method.request_class(spoken), match, query, body)
        return replies.success(self.calls.answer(method.name, spoken, request), spoken, dict(query))

    def _below_token(self, path: str) -> str:
        shown, _, rest = path.removeprefix("/").partition("/")
        if not hmac.compare_digest(shown.encode(), self.token.encode()):
            raise _no_token()
        return rest.removeprefix("/")


def _no_token() -> ApiError:
    return ApiError(
        code_pb2.UNAUTHENTICATED,
        "Request had invalid authentication credentials: the path must begin with the token of the emulated "
        "cloud; `tpuherd cloud.env` prints the whole URL",
        "CREDENTIALS_MISSING",
        "googleapis.com",
    )


def _no_such_url(verb: str, path: str) -> ApiError:
    return ApiError(code_pb2.NOT_FOUND, f"The emulated TPU API serves no {verb} of /{path}")
