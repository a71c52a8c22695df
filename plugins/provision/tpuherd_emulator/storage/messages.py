"""Requests and responses, as the calls of the API see them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any

from tpuherd_emulator.storage.errors import invalid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tpuherd_emulator.storage.body import Body


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """One request as it came: `target` is path and query, names of `headers` are in lower case."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: Body


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request, its path already taken apart.

    Attributes:
        method: HTTP method.
        names: The bucket and object names in the path, decoded, in their order.
        query: Decoded parameters; of repeated ones the last.
        headers: Names are in lower case.
        base: The server's URL as this client knows it, with the token.
    """

    method: str
    names: Sequence[str]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Body
    base: str

    def resource(self) -> dict[str, Any]:
        """The JSON object in the body; an empty body is an empty one.

        Raises:
            StorageError: 400, it is no JSON object.
        """
        return parse_resource(self.body.read_small())

    def flag(self, key: str) -> bool:
        """Whether a boolean parameter is true."""
        return self.query.get(key, "").lower() == "true"


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePart:
    """A stretch of an open file; whoever sends it closes it. Bytes."""

    file: IO[bytes]
    offset: int
    length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """One answer: `body`, or a part of a file."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    part: FilePart | None = None

    @property
    def length(self) -> int:
        """Bytes of the body."""
        return self.part.length if self.part else len(self.body)

    def close(self) -> None:
        """Close the file, if there is one."""
        if self.part:
            self.part.file.close()


def parse_resource(data: bytes) -> dict[str, Any]:
    """Read a JSON object.

    Raises:
        StorageError: 400, it is none.
    """
    try:
        value = json.loads(data) if data.strip() else {}
        json.dumps(
            value, ensure_ascii=False
        ).encode()  # refuses lone surrogates, which no name or header can have
    except ValueError as error:
        raise invalid(f"Parse Error: the body is no JSON in UTF-8: {error}") from None
    if not isinstance(value, dict):
        raise invalid("Parse Error: the body is no JSON object")
    return value


def json_response(resource: Mapping[str, Any], status: int = 200) -> Response:
    """Answer with a JSON resource."""
    headers = {"Content-Type": "application/json; charset=UTF-8"}
    if "etag" in resource:
        headers["ETag"] = resource["etag"]
    return Response(status=status, headers=headers, body=json.dumps(resource).encode())


def xml_response(body: str) -> Response:
    """Answer with an XML document."""
    text = f"<?xml version='1.0' encoding='UTF-8'?>{body}"
    return Response(headers={"Content-Type": "application/xml; charset=UTF-8"}, body=text.encode())


def no_content() -> Response:
    """Answer that it is done."""
    return Response(status=204)
