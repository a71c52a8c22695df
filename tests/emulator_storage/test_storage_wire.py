"""Corner cases on the wire, where a client library would hide them."""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import socket
from urllib.parse import urlsplit

import google_crc32c
import pytest
from storage_clients import BUCKET, TOKEN, Raw

OBJECT = f"/storage/v1/b/{BUCKET}/o/x"


def b64(digest):
    return base64.b64encode(digest).decode()


@pytest.mark.parametrize("prefix", ["", "/wrong-token", f"/{TOKEN}x"])
def test_without_the_token(raw, prefix):
    answer = raw.absolute("GET", f"{prefix}/storage/v1/b")
    assert answer.status == 401
    assert "token" in answer.json["error"]["message"]
    assert raw.call("GET", "/storage/v1/b").status == 200


def test_the_token_as_a_header(raw):
    assert raw.absolute("GET", "/storage/v1/b", headers={"Authorization": f"Bearer {TOKEN}"}).status == 200
    assert raw.absolute("GET", "/storage/v1/b", headers={"Authorization": "Bearer other"}).status == 401
    assert raw.call("GET", "/storage/v1/b", headers={"Authorization": "Bearer other"}).status == 200


def test_an_upload_without_the_token_is_not_waited_for(server):
    parts = urlsplit(server.url)
    with socket.create_connection((parts.hostname, parts.port), timeout=5) as client:
        head = "POST /upload/storage/v1/b/a-bucket/o?name=x HTTP/1.1\r\nHost: h\r\n"
        client.sendall(f"{head}Content-Length: 9999999999\r\nExpect: 100-continue\r\n\r\n".encode())
        assert client.recv(100).startswith(b"HTTP/1.1 401 ")


def test_error_bodies(raw):
    error = raw.call("GET", OBJECT).json["error"]
    assert (error["code"], error["message"]) == (404, f"No such object: {BUCKET}/x")
    assert error["errors"][0]["reason"] == "notFound"
    xml = raw.call("GET", f"/{BUCKET}/x")
    assert xml.status == 404
    assert xml.headers["Content-Type"].startswith("application/xml")
    assert raw.call("GET", f"/storage/v1/b/{BUCKET}/acl").status == 501
    assert raw.call("GET", OBJECT + "?generation=abc").status == 400
    assert raw.call("GET", f"/storage/v1/b/{BUCKET}/o/%ff").status == 400
    assert raw.upload("x", b"1", headers={"Content-Length": "x"}).status == 400


@pytest.mark.parametrize("name", ["", ".", "..", "a%0Ab", "x" * 1025])
def test_bad_object_names(raw, name):
    assert raw.upload(name, b"1").status == 400


@pytest.mark.parametrize("name", ["ab", "Upper", "-a-", "a" * 64, "a/../b", "a..b", None])
def test_bad_bucket_names(raw, name):
    answer = raw.call("POST", "/storage/v1/b", json.dumps({"name": name}))
    assert answer.status == 400
    assert "Invalid bucket name" in answer.json["error"]["message"]


@pytest.mark.parametrize("body", [b"{", b"[]", b"\xff", b'{"name": "a\\ud800"}'])
def test_bad_json(raw, body):
    assert raw.call("POST", "/storage/v1/b", body).status == 400


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"sourceObjects": "x"},
        {"sourceObjects": ["x"]},
        {"sourceObjects": [{"name": "x", "generation": "y"}]},
        {"sourceObjects": [{"name": "x", "objectPreconditions": "y"}]},
        {"sourceObjects": [{"name": "x"}], "destination": "y"},
        {"sourceObjects": [{"name": "x"}], "destination": {"contentType": 5}},
        {"sourceObjects": [{"name": "x"}] * 33},
    ],
)
def test_bad_compositions(raw, tmp_path, body):
    raw.upload("x", b"1")
    assert raw.call("POST", f"/storage/v1/b/{BUCKET}/o/y/compose", json.dumps(body)).status == 400
    assert list((tmp_path / "store" / "incoming").iterdir()) == []


@pytest.mark.parametrize("change", [{"contentType": 5}, {"cacheControl": ["a"]}, {"metadata": ["a"]}])
def test_bad_settings(raw, change):
    raw.upload("x", b"1")
    assert raw.call("PATCH", OBJECT, json.dumps(change)).status == 400
    assert raw.call("GET", OBJECT).json["metageneration"] == "1"


def test_a_bucket_setting_may_change_its_kind(raw):
    path = f"/storage/v1/b/{BUCKET}"
    assert raw.call("PATCH", path, '{"labels": "x"}').status == 200
    assert raw.call("PATCH", path, '{"labels": {"a": "b"}}').json["labels"] == {"a": "b"}


def test_what_is_not_served_is_refused(raw):
    assert raw.call("PATCH", f"/storage/v1/b/{BUCKET}", '{"versioning": {"enabled": true}}').status == 501
    raw.upload("x", b"1")
    assert raw.call("PATCH", OBJECT, '{"temporaryHold": true}').status == 501
    assert raw.call("PATCH", OBJECT, '{"metadata": {"a": 1}}').status == 400


@pytest.mark.parametrize(
    ("header", "status", "body", "content_range"),
    [
        ("bytes=0-0", 206, b"0", "bytes 0-0/10"),
        ("bytes=3-", 206, b"3456789", "bytes 3-9/10"),
        ("bytes=-4", 206, b"6789", "bytes 6-9/10"),
        ("bytes=8-99", 206, b"89", "bytes 8-9/10"),
        ("bytes=10-", 416, None, None),
        ("bytes=-0", 416, None, None),
        ("bytes=5-3", 200, b"0123456789", None),
        ("lines=1-2", 200, b"0123456789", None),
    ],
)
def test_ranges(raw, header, status, body, content_range):
    raw.upload("x", b"0123456789")
    answer = raw.media("x", {"Range": header})
    assert (answer.status, answer.headers["Content-Range"]) == (status, content_range)
    assert body is None or answer.body == body


def test_range_of_an_empty_object(raw):
    raw.upload("x", b"")
    assert raw.media("x", {"Range": "bytes=0-"}).status == 416
    assert raw.media("x").body == b""


def test_reads_with_conditions(raw):
    made = raw.upload("x", b"1").json
    generation, etag = made["generation"], made["etag"]
    assert raw.call("GET", f"{OBJECT}?ifGenerationNotMatch={generation}").status == 304
    assert raw.call("GET", f"{OBJECT}?alt=media&ifGenerationNotMatch={generation}").status == 304
    assert raw.call("GET", f"{OBJECT}?ifGenerationMatch=1").status == 412
    assert raw.call("GET", OBJECT, headers={"If-None-Match": etag}).status == 304
    assert raw.call("GET", OBJECT, headers={"If-Match": "other"}).status == 412
    assert raw.call("GET", OBJECT, headers={"If-Match": f'"{etag}"'}).status == 200


@pytest.mark.parametrize(
    ("query", "missing", "present"),
    [
        ("ifGenerationMatch=0", 200, 412),
        ("ifGenerationMatch=1", 412, 412),
        ("ifGenerationNotMatch=0", 412, 200),
        ("ifGenerationNotMatch=1", 200, 200),
        ("ifMetagenerationMatch=1", 412, 200),
        ("ifMetagenerationNotMatch=1", 200, 412),
        ("ifGenerationMatch=x", 400, 400),
        ("ifGenerationMatch=9223372036854775808", 400, 400),
    ],
)
def test_writes_with_conditions(raw, query, missing, present):
    assert raw.upload("new", b"1", f"&{query}").status == missing
    raw.upload("old", b"1")
    answer = raw.upload("old", b"2", f"&{query}")
    assert answer.status == present
    assert raw.media("old").body == (b"2" if present == 200 else b"1")
    if present == 412:
        assert answer.json["error"]["errors"][0]["reason"] == "conditionNotMet"


def test_checksums_are_checked(raw):
    data = b"some data"
    good = f"crc32c={b64(google_crc32c.Checksum(data).digest())},md5={b64(hashlib.md5(data).digest())}"
    made = raw.upload("x", data, headers={"X-Goog-Hash": good})
    assert made.status == 200
    for bad in ("crc32c=AAAAAA==", "md5=AAAAAAAAAAAAAAAAAAAAAA=="):
        answer = raw.upload("x", data, headers={"X-Goog-Hash": bad})
        assert answer.status == 400
        assert "doesn't match" in answer.json["error"]["message"]
    assert raw.call("GET", OBJECT).json["generation"] == made.json["generation"]
    assert raw.media("x").headers["X-Goog-Hash"] == good


def test_chunked_body_keeps_the_connection_usable(raw):
    path = f"/upload/storage/v1/b/{BUCKET}/o?name=x"
    answer = raw.call("POST", path, iter([b"ab", b"c" * 70_000]))
    assert answer.json["size"] == "70002"
    assert raw.media("x").body == b"ab" + b"c" * 70_000


def test_expect_continue_is_answered_at_once(server):
    parts = urlsplit(server.url)
    with socket.create_connection((parts.hostname, parts.port), timeout=5) as client:
        head = f"PUT {parts.path}/{BUCKET}/x HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n"
        client.sendall(f"{head}Expect: 100-continue\r\n\r\n".encode())
        assert client.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"abc")
        assert client.recv(1000).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
@pytest.mark.parametrize("media", [b"", b"a\r\n--other\nb\r", b"x" * 3_000_000 + b"\n--B"])
def test_multipart_upload(raw, newline, media):
    head = newline.join([b"--BB=", b"Content-Type: application/json", b"", b'{"name": "x"}', b"--BB=", b""])
    body = head + newline.join([b"Content-Type: text/plain", b"", media, b"--BB=--"])
    path = f"/upload/storage/v1/b/{BUCKET}/o?uploadType=multipart"
    answer = raw.call("POST", path, body, {"Content-Type": 'multipart/related; boundary="BB="'})
    assert (answer.status, answer.json.get("contentType")) == (200, "text/plain")
    assert raw.media("x").body == media


def test_multipart_upload_without_its_end(raw):
    body = b'--B\r\n\r\n{"name": "x"}\r\n--B\r\nContent-Type: a/b\r\n\r\ndata'
    path = f"/upload/storage/v1/b/{BUCKET}/o?uploadType=multipart"
    assert raw.call("POST", path, body, {"Content-Type": "multipart/related; boundary=B"}).status == 400
    assert raw.media("x").status == 404


def test_xml_objects(raw):
    headers = {"Content-Type": "a/b", "x-goog-meta-Colour": "red", "x-goog-if-generation-match": "0"}
    made = raw.call("PUT", f"/{BUCKET}/dir//x%20y", b"data", headers)
    assert (made.status, made.headers["ETag"]) == (200, f'"{hashlib.md5(b"data").hexdigest()}"')
    assert raw.call("PUT", f"/{BUCKET}/dir//x%20y", b"data", headers).status == 412
    head = raw.call("HEAD", f"/{BUCKET}/dir//x%20y")
    assert (head.headers["Content-Length"], head.headers["X-Goog-Meta-colour"], head.body) == (
        "4",
        "red",
        b"",
    )
    assert raw.call("GET", f"/{BUCKET}/dir//x%20y").body == b"data"
    assert raw.call("DELETE", f"/{BUCKET}/dir//x%20y").status == 204
    assert raw.call("HEAD", f"/{BUCKET}/dir//x%20y").status == 404


def test_settings_cannot_smuggle_headers(raw):
    raw.upload("x", b"1")
    raw.call(
        "PATCH", OBJECT, json.dumps({"cacheControl": "a\r\nX-Evil: yes", "metadata": {"k\r\nX-Evil": "v"}})
    )
    answer = raw.media("x")
    assert answer.body == b"1"
    assert "X-Evil" not in answer.headers


def test_batch_with_bare_newlines_and_relative_urls(raw):
    raw.upload("x", b"1")
    call = (
        f"Content-Type: application/http\nContent-ID: <7>\n\nDELETE /storage/v1/b/{BUCKET}/o/%s HTTP/1.1\n\n"
    )
    body = "".join(f"--BB\n{call % name}" for name in ("x", "missing")) + "--BB--"
    answer = raw.call("POST", "/batch/storage/v1", body, {"Content-Type": "multipart/mixed; boundary=BB"})
    text = answer.body.decode()
    assert text.index("HTTP/1.1 204") < text.index("HTTP/1.1 404")
    assert "Content-ID: <response-7>" in text
    for wrong in ("", "--BB--", body.removesuffix("--"), "--BB\n\nNONSENSE\n--BB--"):
        assert (
            raw.call("POST", "/batch", wrong, {"Content-Type": "multipart/mixed; boundary=BB"}).status == 400
        )


def test_a_reset_is_a_reset(server):
    from tpuherd_emulator.storage.faults import Fault

    server.faults.add(Fault(status=None))
    client = Raw(server.url)
    with pytest.raises((ConnectionError, http.client.RemoteDisconnected)):
        client.call("GET", "/storage/v1/b")
    client.close()
