"""Calls on single objects, and their listing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd_emulator.storage.conditions import from_request, generation_of
from tpuherd_emulator.storage.listing import list_page, selection
from tpuherd_emulator.storage.messages import FilePart, Response, json_response, no_content
from tpuherd_emulator.storage.ranges import Stretch, parse_range
from tpuherd_emulator.storage.render import media_headers, object_resource
from tpuherd_emulator.storage.settings import merged, object_settings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tpuherd_emulator.storage.messages import Request
    from tpuherd_emulator.storage.resources import StoredObject
    from tpuherd_emulator.storage.service import Service


def list_objects(service: Service, request: Request) -> Response:
    """`GET b/BUCKET/o`."""
    page = list_page(service.catalogue, selection(request))
    resource: dict[str, Any] = {"kind": "storage#objects"}
    if page.objects:
        resource["items"] = [object_resource(stored, request.base) for stored in page.objects]
    if page.prefixes:
        resource["prefixes"] = page.prefixes
    if page.next_token:
        resource["nextPageToken"] = page.next_token
    return json_response(resource)


def get_object(service: Service, request: Request) -> Response:
    """`GET b/BUCKET/o/OBJECT`: the resource or, with `alt=media`, the content."""
    if request.query.get("alt") == "media":
        return download(service, request)
    stored = _named(service, request)
    from_request(request.query, request.headers).check_read(stored)
    return json_response(object_resource(stored, request.base))


def download(service: Service, request: Request) -> Response:
    """Content of an object, or a range of it, as it was when the request came."""
    with service.catalogue.lock:
        stored = _named(service, request)
        from_request(request.query, request.headers).check_read(stored)
        stretch = parse_range(request.headers.get("range"), stored.size)
        file = service.catalogue.open(stored)
    headers = media_headers(stored)
    if stretch is None:
        part = FilePart(file=file, offset=0, length=stored.size)
        return Response(headers=headers, part=part)
    headers["Content-Range"] = _content_range(stretch, stored.size)
    part = FilePart(file=file, offset=stretch.offset, length=stretch.length)
    return Response(status=206, headers=headers, part=part)


def patch_object(service: Service, request: Request) -> Response:
    """`PATCH b/BUCKET/o/OBJECT`: merge the settings."""
    change = object_settings(request.resource())
    with service.catalogue.lock:
        stored = _to_change(service, request)
        changed = service.catalogue.set_object(stored, merged(stored.settings, change))
    return json_response(object_resource(changed, request.base))


def update_object(service: Service, request: Request) -> Response:
    """`PUT b/BUCKET/o/OBJECT`: replace the settings."""
    settings = merged({}, object_settings(request.resource()))
    with service.catalogue.lock:
        changed = service.catalogue.set_object(_to_change(service, request), settings)
    return json_response(object_resource(changed, request.base))


def delete_object(service: Service, request: Request) -> Response:
    """`DELETE b/BUCKET/o/OBJECT`."""
    with service.catalogue.lock:
        service.catalogue.remove(_to_change(service, request))
    return no_content()


def object_answer(stored: StoredObject, request: Request) -> Response:
    """The resource of an object that was just made."""
    return json_response(object_resource(stored, request.base))


def settings_or(own: Mapping[str, Any], inherited: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a copy: the source's or, if the request has any, those, with the source's content type."""
    kept = {key: inherited[key] for key in ("contentType",) if key in inherited}
    return kept | dict(own) if own else dict(inherited)


def _named(service: Service, request: Request) -> StoredObject:
    bucket, name = request.names[:2]
    return service.catalogue.find(bucket, name, generation_of(request.query))


def _to_change(service: Service, request: Request) -> StoredObject:
    stored = _named(service, request)
    from_request(request.query, request.headers).check_write(stored)
    return stored


def _content_range(stretch: Stretch, size: int) -> str:
    return f"bytes {stretch.offset}-{stretch.offset + stretch.length - 1}/{size}"
