"""Which call answers which request."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote

from tpuherd_emulator.storage import bucket_calls, copy_calls, object_calls, upload_calls, xml_calls
from tpuherd_emulator.storage.errors import StorageError, invalid, not_served
from tpuherd_emulator.storage.messages import Request, Response

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tpuherd_emulator.storage.messages import Incoming
    from tpuherd_emulator.storage.service import Service

    Call = Callable[[Service, Request], Response]

_OBJECT = "b/{}/o/{}"
_JSON: dict[tuple[str, str], Call] = {
    ("GET", "b"): bucket_calls.list_buckets,
    ("POST", "b"): bucket_calls.insert_bucket,
    ("GET", "b/{}"): bucket_calls.get_bucket,
    ("PATCH", "b/{}"): bucket_calls.patch_bucket,
    ("PUT", "b/{}"): bucket_calls.update_bucket,
    ("DELETE", "b/{}"): bucket_calls.delete_bucket,
    ("GET", "b/{}/storageLayout"): bucket_calls.get_storage_layout,
    ("GET", "b/{}/o"): object_calls.list_objects,
    ("GET", _OBJECT): object_calls.get_object,
    ("PATCH", _OBJECT): object_calls.patch_object,
    ("PUT", _OBJECT): object_calls.update_object,
    ("DELETE", _OBJECT): object_calls.delete_object,
    ("POST", f"{_OBJECT}/copyTo/{_OBJECT}"): copy_calls.copy_object,
    ("POST", f"{_OBJECT}/rewriteTo/{_OBJECT}"): copy_calls.rewrite_object,
    ("POST", f"{_OBJECT}/moveTo/o/{{}}"): copy_calls.move_object,
    ("POST", f"{_OBJECT}/compose"): copy_calls.compose_object,
}
_UPLOAD: dict[tuple[str, str], Call] = {
    ("POST", "b/{}/o"): upload_calls.insert_object,
    ("PUT", "b/{}/o"): upload_calls.continue_upload,
    ("DELETE", "b/{}/o"): upload_calls.cancel_upload,
}
_DOWNLOAD: dict[tuple[str, str], Call] = {("GET", _OBJECT): object_calls.download}
_XML: dict[str, Call] = {
    "GET": xml_calls.get,
    "HEAD": xml_calls.get,
    "PUT": xml_calls.put,
    "POST": xml_calls.post,
    "DELETE": xml_calls.delete,
}
_NAME_POSITIONS = (1, 3, 6, 8)
"""Where the segments of a JSON path are names: see the keys above."""


def answer(service: Service, incoming: Incoming, base: str) -> Response:
    """Carry one request out.

    Args:
        service: The store.
        incoming: The request, its target without the token.
        base: The server's URL, for links in the answer.

    Returns:
        The answer, also where it is an error.
    """
    path, _, query = incoming.target.partition("?")
    is_xml = False
    try:
        call, names = _find(incoming.method, path.removeprefix("/").split("/"))
        is_xml = call in _XML.values()
        request = Request(
            method=incoming.method,
            names=[_decoded(name) for name in names],
            query=dict(parse_qsl(query, keep_blank_values=True)),
            headers=incoming.headers,
            body=incoming.body,
            base=base,
        )
        return call(service, request)
    except StorageError as error:
        return error_response(error, as_xml=is_xml)


def error_response(error: StorageError, *, as_xml: bool) -> Response:
    """How an error looks on the wire."""
    if error.status == 304:
        return Response(status=304)
    if as_xml:
        return Response(
            status=error.status,
            headers={"Content-Type": "application/xml; charset=UTF-8"},
            body=error.as_xml(),
        )
    json_type = {"Content-Type": "application/json; charset=UTF-8"}
    return Response(status=error.status, headers=json_type, body=error.as_json())


def _find(method: str, segments: Sequence[str]) -> tuple[Call, Sequence[str]]:
    match segments:
        case ["storage", "v1", *rest]:
            return _in_table(_JSON, method, rest)
        case ["upload", "storage", "v1", *rest] | ["resumable", "upload", "storage", "v1", *rest]:
            return _in_table(_UPLOAD, method, rest)
        case ["download", "storage", "v1", *rest]:
            return _in_table(_DOWNLOAD, method, rest)
        case [bucket, first, *more] if method in _XML and (first or more):
            return _XML[method], [bucket, "/".join([first, *more])]
    raise not_served(f"{method} /{'/'.join(segments)}")


def _in_table(
    table: Mapping[tuple[str, str], Call], method: str, segments: Sequence[str]
) -> tuple[Call, Sequence[str]]:
    shape = "/".join("{}" if at in _NAME_POSITIONS else segment for at, segment in enumerate(segments))
    call = table.get((method, shape))
    if call is None:
        raise not_served(f"{method} /{'/'.join(segments)}")
    return call, [segment for at, segment in enumerate(segments) if at in _NAME_POSITIONS]


def _decoded(segment: str) -> str:
    try:
        return unquote(segment, errors="strict")
    except UnicodeDecodeError:
        raise invalid(f"Invalid name {segment!r}: it is no UTF-8.") from None
