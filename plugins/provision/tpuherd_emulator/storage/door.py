"""The door: who has the token is let in, and told the way."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tpuherd_emulator.storage.batch import answer_batch
from tpuherd_emulator.storage.errors import StorageError, no_token
from tpuherd_emulator.storage.routes import answer, error_response

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tpuherd_emulator.storage.faults import Faults
    from tpuherd_emulator.storage.messages import Incoming, Response
    from tpuherd_emulator.storage.service import Service


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """Checks the token of each request, takes it off the path, and passes the request on.

    Attributes:
        service: The store behind the door.
        faults: What is to go wrong.
        token: What a client must know.
        address: `HOST:PORT`, for clients that do not say how they call the server.
    """

    service: Service
    faults: Faults
    token: str
    address: str

    def answer(self, incoming: Incoming) -> Response:
        """Answer one request; 401 without the token."""
        known = self._without_token(incoming)
        if known is incoming and not self._is_bearer(incoming.headers):
            return error_response(no_token(), as_xml=False)
        base = f"http://{incoming.headers.get('host') or self.address}/{self.token}"
        if known.method == "POST" and known.target.split("?")[0] in ("/batch", "/batch/storage/v1"):
            return self._batch(known, base)
        return answer(self.service, known, base)

    def _batch(self, batch: Incoming, base: str) -> Response:
        try:
            return answer_batch(batch, lambda call: answer(self.service, self._without_token(call), base))
        except StorageError as error:
            return error_response(error, as_xml=False)

    def _without_token(self, incoming: Incoming) -> Incoming:
        segment, slash, rest = incoming.target.removeprefix("/").partition("/")
        return replace(incoming, target=slash + rest) if _equal(segment, self.token) else incoming

    def _is_bearer(self, headers: Mapping[str, str]) -> bool:
        kind, _, value = headers.get("authorization", "").partition(" ")
        return kind.lower() == "bearer" and _equal(value.strip(), self.token)


def _equal(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode(), wanted.encode())
