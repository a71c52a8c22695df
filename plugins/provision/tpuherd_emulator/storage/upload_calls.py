"""Uploads of the JSON API: media, multipart and resumable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd_emulator.storage.chunks import parse_chunk
from tpuherd_emulator.storage.conditions import from_request
from tpuherd_emulator.storage.content import Checksums, Content, ContentWriter
from tpuherd_emulator.storage.errors import invalid, not_served
from tpuherd_emulator.storage.messages import Response
from tpuherd_emulator.storage.names import check_object_name
from tpuherd_emulator.storage.object_calls import object_answer
from tpuherd_emulator.storage.related import RelatedBody
from tpuherd_emulator.storage.resumable import Target
from tpuherd_emulator.storage.settings import object_settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tpuherd_emulator.storage.messages import Request
    from tpuherd_emulator.storage.resources import StoredObject
    from tpuherd_emulator.storage.resumable import Session
    from tpuherd_emulator.storage.service import Service


def insert_object(service: Service, request: Request) -> Response:
    """`POST upload/.../b/BUCKET/o`: by `uploadType`, or a chunk for a session that an `upload_id` names."""
    if "upload_id" in request.query:
        return continue_upload(service, request)
    service.catalogue.bucket(request.names[0])
    kind = request.query.get("uploadType", "media")
    if kind not in _KINDS:
        raise invalid(f"Invalid value {kind!r} for uploadType.", "uploadType")
    return _KINDS[kind](service, request)


def continue_upload(service: Service, request: Request) -> Response:
    """`PUT ...upload_id=ID`: a chunk, or a question how far the upload got."""
    session = service.sessions.get(request.query.get("upload_id", ""))
    length = request.headers.get("content-length")
    chunk = parse_chunk(request.headers.get("content-range"), None if length is None else int(length))
    late = checksums(request.headers, {})
    stored = session.receive(
        chunk, request.body, lambda content: commit(service, session.target, content, late)
    )
    return object_answer(stored, request) if stored else _incomplete(session)


def cancel_upload(service: Service, request: Request) -> Response:
    """`DELETE ...upload_id=ID`."""
    raise service.sessions.cancel(request.query.get("upload_id", ""))


def receive(service: Service, target: Target, pieces: Iterable[bytes]) -> StoredObject:
    """Make an object of a body that comes in one go.

    Raises:
        StorageError: 400, checksums; 412.
    """
    with ContentWriter(service.disk.incoming) as writer:
        return commit(service, target, writer.write_all(pieces).finish())


def commit(service: Service, target: Target, content: Content, late: Checksums | None = None) -> StoredObject:
    """Make an object of a content, once its checksums are right; a content that is refused is removed.

    Raises:
        StorageError: 400, checksums; 412.
    """
    try:
        target.checksums.check(content)
        if late is not None:
            late.check(content)
        return service.catalogue.put(target.bucket, target.name, content, target.settings, target.conditions)
    finally:
        content.discard()


def checksums(headers: Mapping[str, str], resource: Mapping[str, Any]) -> Checksums:
    """The checksums that a client sent, in headers or in the resource."""
    pairs = (part.strip().partition("=") for part in headers.get("x-goog-hash", "").split(","))
    sent = {kind.lower(): value for kind, _, value in pairs}
    return Checksums(
        crc32c=sent.get("crc32c") or resource.get("crc32c"),
        md5=sent.get("md5") or resource.get("md5Hash") or headers.get("content-md5"),
    )


def _media(service: Service, request: Request) -> Response:
    target = _target(request, {"contentType": request.headers.get("content-type")})
    return object_answer(receive(service, target, request.body.pieces()), request)


def _multipart(service: Service, request: Request) -> Response:
    body = RelatedBody(request.body, request.headers.get("content-type", ""))
    target = _target(request, {"contentType": body.media_type} | body.resource)
    return object_answer(receive(service, target, body.media()), request)


def _resumable(service: Service, request: Request) -> Response:
    media_type = request.headers.get("x-upload-content-type")
    session = service.sessions.start(_target(request, {"contentType": media_type} | request.resource()))
    query = f"uploadType=resumable&upload_id={session.id}"
    location = f"{request.base}/upload/storage/v1/b/{request.names[0]}/o?{query}"
    return Response(headers={"Location": location, "X-GUploader-UploadID": session.id})


_KINDS = {"media": _media, "multipart": _multipart, "resumable": _resumable}


def _incomplete(session: Session) -> Response:
    headers = {"Range": f"bytes=0-{session.size - 1}"} if session.size else {}
    return Response(status=308, headers=headers)


def _target(request: Request, resource: Mapping[str, Any]) -> Target:
    if "x-goog-encryption-algorithm" in request.headers:
        raise not_served("customer-supplied encryption keys")
    settings = object_settings(resource)
    if "contentEncoding" in request.query:
        settings["contentEncoding"] = request.query["contentEncoding"]
    return Target(
        bucket=request.names[0],
        name=check_object_name(request.query.get("name") or resource.get("name")),
        settings=settings,
        conditions=from_request(request.query, request.headers),
        checksums=checksums(request.headers, resource),
    )
