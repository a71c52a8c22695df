"""Bodies of `multipart/related` uploads: the metadata, then the media, which may be of any size."""

from __future__ import annotations

import re
from email.parser import BytesHeaderParser
from typing import TYPE_CHECKING, Any

from tpuherd_emulator.storage.content import PIECE_BYTES
from tpuherd_emulator.storage.errors import invalid
from tpuherd_emulator.storage.messages import parse_resource

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tpuherd_emulator.storage.body import Body

_HEAD_LIMIT_BYTES = 4 * PIECE_BYTES
_BOUNDARY = re.compile(r'boundary="?([^";]+)"?', re.IGNORECASE)
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")


class RelatedBody:
    """Reads the two parts; lines may end in CRLF or, as gcsfs has it, in a bare LF.

    Attributes:
        resource: The metadata, a JSON object.
        media_type: Content type of the media, if its part has one.

    Raises:
        StorageError: 400, the body has not this form.
    """

    def __init__(self, body: Body, content_type: str) -> None:
        self._body = body
        self._delimiter = b"--" + boundary(content_type)
        self._ahead = bytearray()
        first_line = self._take(re.compile(re.escape(self._delimiter) + rb"\s*?\n"))
        newline = b"\r\n" if first_line.endswith(b"\r\n") else b"\n"
        self._delimiter = newline + self._delimiter
        self._take(_BLANK_LINE)
        text = self._take(re.compile(re.escape(self._delimiter) + rb"\s*?\n"))
        self.resource: dict[str, Any] = parse_resource(text[: text.rindex(self._delimiter)])
        self.media_type = _content_type(self._take(_BLANK_LINE))

    def media(self) -> Iterator[bytes]:
        """The media, piece by piece.

        Raises:
            StorageError: 400, the closing boundary is missing.
        """
        held = len(self._delimiter) - 1
        while (end := self._ahead.find(self._delimiter)) < 0:
            if len(self._ahead) > held:
                yield bytes(self._ahead[: len(self._ahead) - held])
                del self._ahead[: len(self._ahead) - held]
            self._read_on()
        yield bytes(self._ahead[:end])

    def _take(self, pattern: re.Pattern[bytes]) -> bytes:
        while (match := pattern.search(self._ahead)) is None:
            if len(self._ahead) > _HEAD_LIMIT_BYTES:
                raise invalid("Malformed multipart body: the metadata does not end.")
            self._read_on()
        taken = bytes(self._ahead[: match.end()])
        del self._ahead[: match.end()]
        return taken

    def _read_on(self) -> None:
        piece = self._body.read(PIECE_BYTES)
        if not piece:
            raise invalid("Malformed multipart body: a boundary is missing.")
        self._ahead += piece


def boundary(content_type: str) -> bytes:
    """The boundary that a multipart content type names.

    Raises:
        StorageError: 400, it names none.
    """
    match = _BOUNDARY.search(content_type)
    if match is None:
        raise invalid(f"Multipart body without a boundary: Content-Type is {content_type!r}.")
    return match[1].strip().encode()


def _content_type(head: bytes) -> str | None:
    return BytesHeaderParser().parsebytes(head.lstrip())["content-type"]
