"""Resumable sessions on the wire."""

from __future__ import annotations

import socket
import time
from urllib.parse import urlsplit

import pytest
from storage_clients import BUCKET

CHUNK = 256 * 1024


class Upload:
    def __init__(self, raw, server, query="", headers=None):
        self.raw = raw
        path = f"/upload/storage/v1/b/{BUCKET}/o?uploadType=resumable&name=x{query}"
        answer = raw.call("POST", path, "{}", headers)
        assert answer.status == 200, answer.body
        assert answer.headers["Location"].startswith(server.url)
        self.path = answer.headers["Location"].removeprefix(server.url)

    def put(self, content_range, body=b"", method="PUT", headers=None):
        sent = ({"Content-Range": content_range} if content_range else {}) | (headers or {})
        return self.raw.call(method, self.path, body, sent)

    def kept(self):
        answer = self.put("bytes */*")
        assert answer.status == 308
        return answer.headers["Range"]


@pytest.fixture
def upload(raw, server):
    return Upload(raw, server)


def test_chunks_status_and_repeats(raw, upload):
    data = bytes(range(256)) * 1024 * 2
    assert upload.kept() is None
    first = upload.put(f"bytes 0-{CHUNK - 1}/*", data[:CHUNK])
    assert (first.status, first.headers["Range"]) == (308, f"bytes=0-{CHUNK - 1}")
    # The answer got lost: the client sends the chunk again, with more behind it.
    assert upload.put(f"bytes 0-{2 * CHUNK - 1}/*", data).status == 308
    assert upload.put(f"bytes */{2 * CHUNK}").json["size"] == str(2 * CHUNK)
    assert upload.put("bytes */*").status == 200
    assert raw.media("x").body == data


def test_post_is_as_good_as_put(raw, upload):
    assert upload.put("bytes 0-2/3", b"abc", method="POST").status == 200
    assert raw.media("x").body == b"abc"


def test_whole_body_without_a_range(raw, upload):
    assert upload.put(None, b"abc").json["size"] == "3"


def test_an_empty_object(raw, upload):
    assert upload.put("bytes */0").status == 200
    assert raw.media("x").body == b""


def test_a_gap_is_refused_and_the_session_goes_on(upload):
    assert upload.put("bytes 5-6/7", b"ab").status == 400
    assert upload.put("bytes nonsense", b"ab").status == 400
    assert upload.put("bytes 0-2/3", b"abc").status == 200


def test_unfinished_uploads_keep_whole_quanta_only(upload):
    upload.put("bytes 0-299999/*", b"x" * 300_000)
    assert upload.kept() == f"bytes=0-{CHUNK - 1}"


def test_a_broken_connection_keeps_what_arrived(server, raw, upload):
    parts = urlsplit(server.url)
    with socket.create_connection((parts.hostname, parts.port), timeout=5) as client:
        head = f"PUT {parts.path}{upload.path} HTTP/1.1\r\nHost: h\r\nContent-Length: {3 * CHUNK}\r\n"
        client.sendall(f"{head}Content-Range: bytes 0-{3 * CHUNK - 1}/{3 * CHUNK}\r\n\r\n".encode())
        client.sendall(b"x" * (2 * CHUNK + 7))
    deadline = time.monotonic() + 5
    while upload.kept() != f"bytes=0-{2 * CHUNK - 1}" and time.monotonic() < deadline:
        time.sleep(0.01)
    assert raw.media("x").status == 404
    assert upload.put(f"bytes {2 * CHUNK}-{3 * CHUNK - 1}/{3 * CHUNK}", b"y" * CHUNK).status == 200
    assert raw.media("x").body == b"x" * 2 * CHUNK + b"y" * CHUNK


def test_conditions_hold_at_the_end(raw, server):
    upload = Upload(raw, server, "&ifGenerationMatch=0")
    raw.upload("x", b"first")
    assert upload.put("bytes 0-2/3", b"abc").status == 412
    assert upload.put("bytes */*").status == 412
    assert raw.media("x").body == b"first"


def test_checksum_in_the_last_chunk(raw, upload):
    assert upload.put("bytes 0-2/3", b"abc", headers={"X-Goog-Hash": "crc32c=AAAAAA=="}).status == 400
    assert raw.media("x").status == 404


def test_content_type_of_the_start(raw, server):
    upload = Upload(raw, server, headers={"X-Upload-Content-Type": "text/csv"})
    assert upload.put("bytes 0-0/1", b"a").json["contentType"] == "text/csv"


def test_cancel(upload):
    upload.put(f"bytes 0-{CHUNK - 1}/*", b"x" * CHUNK)
    assert upload.put(None, method="DELETE").status == 499
    assert upload.put("bytes */*").status == 404
