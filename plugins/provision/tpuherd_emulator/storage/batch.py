"""Batches: many calls in one `multipart/mixed` request, each answered on its own.

Source: https://cloud.google.com/storage/docs/batch
"""

from __future__ import annotations

import io
import re
import secrets
from email.parser import BytesHeaderParser
from http.client import responses
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tpuherd_emulator.storage.body import Body
from tpuherd_emulator.storage.errors import invalid
from tpuherd_emulator.storage.messages import Incoming, Response
from tpuherd_emulator.storage.related import boundary

if TYPE_CHECKING:
    from collections.abc import Callable
    from email.message import Message

    Answer = Callable[[Incoming], Response]

MAX_CALLS = 1000
"""What google-cloud-storage sends at most; the documentation says 100."""

_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_REQUEST_LINE = re.compile(r"([A-Z]+) (\S+)(?: HTTP/1\.[01])?")


def answer_batch(batch: Incoming, answer: Answer) -> Response:
    """Carry all calls of a batch out, in order.

    Args:
        batch: The request.
        answer: Answers one call.

    Raises:
        StorageError: 400, malformed or too many calls.
    """
    mark = boundary(batch.headers.get("content-type", ""))
    delimiter = re.compile(rb"(?:^|\r?\n)--" + re.escape(mark) + rb"(?:--)?[ \t]*(?:\r?\n|$)")
    data = batch.body.read_small().rstrip()
    if not data.endswith(b"--" + mark + b"--"):
        raise invalid("Malformed batch: its closing boundary is missing.")
    parts = delimiter.split(data)[1:-1]
    if not 1 <= len(parts) <= MAX_CALLS:
        raise invalid(f"A batch has 1 to {MAX_CALLS} calls; this one has {len(parts)}.")
    own = f"batch_{secrets.token_hex(12)}"
    answers = b"".join(_part(own, part, answer) for part in parts)
    headers = {"Content-Type": f'multipart/mixed; boundary="{own}"'}
    return Response(headers=headers, body=answers + f"--{own}--\r\n".encode())


def _part(mark: str, part: bytes, answer: Answer) -> bytes:
    outer, call = _split(part.lstrip(b"\r\n"))
    line, _, rest = call.lstrip(b"\r\n").partition(b"\n")
    head, data = _split(rest)
    response = _call(line.decode(errors="replace").strip(), head, data, answer)
    content_id = outer.get("content-id", "").strip().strip("<>")
    named = f"Content-ID: <response-{content_id}>\r\n" if content_id else ""
    intro = f"--{mark}\r\nContent-Type: application/http\r\n{named}\r\n"
    return intro.encode() + _serialised(response) + b"\r\n"


def _call(line: str, headers: Message, data: bytes, answer: Answer) -> Response:
    match = _REQUEST_LINE.fullmatch(line)
    if match is None:
        raise invalid(f"Malformed call in a batch: {line!r}.")
    url = urlsplit(match[2])
    if url.path.find("upload/storage/") >= 0 or "alt=media" in url.query:
        raise invalid("Batches cannot upload or download contents.")
    target = f"{url.path}?{url.query}" if url.query else url.path
    sized = {key.lower(): value for key, value in headers.items()} | {"content-length": str(len(data))}
    sized.pop("transfer-encoding", None)
    body = Body(io.BytesIO(data), sized, lambda: None)
    return answer(Incoming(method=match[1], target=target, headers=sized, body=body))


def _split(data: bytes) -> tuple[Message, bytes]:
    if data.startswith((b"\r\n", b"\n")):
        return BytesHeaderParser().parsebytes(b""), data.lstrip(b"\r\n")
    match = _BLANK_LINE.search(data)
    end = match.end() if match else len(data)
    return BytesHeaderParser().parsebytes(data[:end]), data[end:]


def _serialised(response: Response) -> bytes:
    response.close()
    lines = [f"HTTP/1.1 {response.status} {responses.get(response.status, '')}"]
    lines += [f"{key}: {value}" for key, value in response.headers.items()]
    lines += [f"Content-Length: {len(response.body)}", "", ""]
    return "\r\n".join(lines).encode() + response.body
