"""The XML API, as far as clients of the JSON API use it: objects, and uploads in parts."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from tpuherd_emulator.storage.conditions import from_request
from tpuherd_emulator.storage.content import ContentWriter
from tpuherd_emulator.storage.errors import invalid, not_served
from tpuherd_emulator.storage.messages import Response, no_content, xml_response
from tpuherd_emulator.storage.names import check_object_name
from tpuherd_emulator.storage.object_calls import delete_object, download
from tpuherd_emulator.storage.parts import part_etag
from tpuherd_emulator.storage.render import media_headers
from tpuherd_emulator.storage.resumable import Target
from tpuherd_emulator.storage.upload_calls import checksums, commit, receive

if TYPE_CHECKING:
    from tpuherd_emulator.storage.messages import Request
    from tpuherd_emulator.storage.resources import StoredObject
    from tpuherd_emulator.storage.service import Service

_XMLNS = " xmlns='http://s3.amazonaws.com/doc/2006-03-01/'"
_META = "x-goog-meta-"
_MAX_PARTS = 10_000


def get(service: Service, request: Request) -> Response:
    """`GET` and `HEAD /BUCKET/OBJECT`."""
    return download(service, request)


def put(service: Service, request: Request) -> Response:
    """`PUT /BUCKET/OBJECT`: an object or, with `partNumber`, a part of an upload."""
    if "partNumber" in request.query:
        return _put_part(service, request)
    if "x-goog-copy-source" in request.headers:
        raise not_served("copies through the XML API; use rewrite of the JSON API")
    service.catalogue.bucket(request.names[0])
    return _made(receive(service, _target(request), request.body.pieces()))


def post(service: Service, request: Request) -> Response:
    """`POST /BUCKET/OBJECT`: begin an upload in parts (`uploads`) or complete it (`uploadId`)."""
    if "uploads" in request.query:
        return _start(service, request)
    if "uploadId" in request.query:
        return _complete(service, request)
    raise not_served("form uploads")


def delete(service: Service, request: Request) -> Response:
    """`DELETE /BUCKET/OBJECT`: an object or, with `uploadId`, an upload in parts."""
    upload_id = request.query.get("uploadId")
    if upload_id is None:
        return delete_object(service, request)
    service.parts.get(upload_id, request.names)
    service.parts.end(upload_id)
    return no_content()


def _start(service: Service, request: Request) -> Response:
    service.catalogue.bucket(request.names[0])
    upload_id = service.parts.start(_target(request))
    bucket, name = map(escape, request.names)
    inner = f"<Bucket>{bucket}</Bucket><Key>{name}</Key><UploadId>{upload_id}</UploadId>"
    return xml_response(f"<InitiateMultipartUploadResult{_XMLNS}>{inner}</InitiateMultipartUploadResult>")


def _put_part(service: Service, request: Request) -> Response:
    upload = service.parts.get(request.query.get("uploadId", ""), request.names)
    number = request.query["partNumber"]
    if not number.isdecimal() or not 1 <= int(number) <= _MAX_PARTS:
        raise invalid(f"Invalid partNumber {number!r}: it must be 1 to {_MAX_PARTS}.", "partNumber")
    with ContentWriter(upload.folder) as writer:
        content = writer.write_all(request.body.pieces()).finish()
    try:
        checksums(request.headers, {}).check(content)
    except Exception:
        content.discard()
        raise
    upload.add(int(number), content)
    return Response(headers={"ETag": f'"{part_etag(content)}"', "X-Goog-Hash": f"crc32c={content.crc32c}"})


def _complete(service: Service, request: Request) -> Response:
    upload_id = request.query["uploadId"]
    upload = service.parts.get(upload_id, request.names)
    content = upload.complete(_wanted_parts(request.body.read_small()))
    stored = commit(service, upload.target, content)
    service.parts.end(upload_id)
    bucket, name = map(escape, request.names)
    inner = f"<Bucket>{bucket}</Bucket><Key>{name}</Key><ETag>&quot;{stored.etag}&quot;</ETag>"
    return xml_response(f"<CompleteMultipartUploadResult{_XMLNS}>{inner}</CompleteMultipartUploadResult>")


def _wanted_parts(document: bytes) -> dict[int, str]:
    if b"<!DOCTYPE" in document or b"<!ENTITY" in document:  # no entities, hence no entity bombs
        raise invalid("The list of parts must not have a DOCTYPE.")
    try:
        parts = ET.fromstring(document).iter()  # noqa: S314
        found = [(part.findtext("{*}PartNumber"), part.findtext("{*}ETag")) for part in parts]
        wanted = {int(number): etag for number, etag in found if number and etag}
    except (ET.ParseError, ValueError) as error:
        raise invalid(f"Malformed list of parts: {error}") from None
    if not wanted:
        raise invalid("Malformed list of parts: it names none.")
    return wanted


def _made(stored: StoredObject) -> Response:
    kept = ("ETag", "X-Goog-Hash", "X-Goog-Generation", "X-Goog-Metageneration")
    headers = media_headers(stored)
    tag = base64.b64decode(stored.md5).hex() if stored.md5 else stored.etag
    return Response(headers={key: headers[key] for key in kept} | {"ETag": f'"{tag}"'})


def _target(request: Request) -> Target:
    return Target(
        bucket=request.names[0],
        name=check_object_name(request.names[1]),
        settings=_settings(request),
        conditions=from_request(request.query, request.headers),
        checksums=checksums(request.headers, {}),
    )


def _settings(request: Request) -> dict[str, Any]:
    headers = request.headers
    chosen = {key: headers.get(header) for key, header in _SETTINGS.items()}
    settings: dict[str, Any] = {key: value for key, value in chosen.items() if value is not None}
    metadata = {
        k.lower().removeprefix(_META): unquote(headers[k]) for k in headers if k.lower().startswith(_META)
    }
    return settings | ({"metadata": metadata} if metadata else {})


_SETTINGS = {
    "contentType": "content-type",
    "contentEncoding": "content-encoding",
    "contentDisposition": "content-disposition",
    "contentLanguage": "content-language",
    "cacheControl": "cache-control",
    "storageClass": "x-goog-storage-class",
}
