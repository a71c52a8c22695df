"""Calls that make objects from objects: copy, rewrite, move and compose."""

from __future__ import annotations

import contextlib
from typing import IO, TYPE_CHECKING, Any

from tpuherd_emulator.storage.conditions import from_query, from_request, generation_of
from tpuherd_emulator.storage.content import Content, ContentWriter, linked, pieces
from tpuherd_emulator.storage.errors import invalid
from tpuherd_emulator.storage.messages import json_response
from tpuherd_emulator.storage.names import check_object_name
from tpuherd_emulator.storage.object_calls import object_answer, settings_or
from tpuherd_emulator.storage.render import object_resource
from tpuherd_emulator.storage.settings import object_settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tpuherd_emulator.storage.messages import Request, Response
    from tpuherd_emulator.storage.resources import StoredObject
    from tpuherd_emulator.storage.service import Service

MAX_COMPONENTS = 32
"""Source: https://cloud.google.com/storage/docs/composite-objects"""


def copy_object(service: Service, request: Request) -> Response:
    """`POST b/BUCKET/o/OBJECT/copyTo/b/BUCKET/o/OBJECT`."""
    return object_answer(_copy(service, request), request)


def rewrite_object(service: Service, request: Request) -> Response:
    """`POST b/BUCKET/o/OBJECT/rewriteTo/b/BUCKET/o/OBJECT`: always done in one call."""
    stored = _copy(service, request)
    answer = {
        "kind": "storage#rewriteResponse",
        "totalBytesRewritten": str(stored.size),
        "objectSize": str(stored.size),
        "done": True,
        "resource": object_resource(stored, request.base),
    }
    return json_response(answer)


def move_object(service: Service, request: Request) -> Response:
    """`POST b/BUCKET/o/OBJECT/moveTo/o/OBJECT`: no moment at which both or none are there."""
    bucket, _, name = request.names
    with service.catalogue.lock:
        source = _source(service, request)
        if source.name == name:
            raise invalid("The source and the destination of a move must differ.")
        moved = _duplicate(service, request, source, (bucket, name), source.settings)
        service.catalogue.remove(source)
    return object_answer(moved, request)


def compose_object(service: Service, request: Request) -> Response:
    """`POST b/BUCKET/o/OBJECT/compose`: up to 32 objects of the bucket, put together in order."""
    resource = request.resource()
    bucket, name = request.names
    check_object_name(name)
    own = object_settings(_map(resource, "destination"))
    conditions = from_request(request.query, request.headers)
    with contextlib.ExitStack() as files:
        with service.catalogue.lock:
            sources = [_component(service, bucket, entry) for entry in _entries(resource)]
            opened = [files.enter_context(service.catalogue.open(source)) for source in sources]
        content = _concatenated(service, sources, opened)
    settings = settings_or(own, _composed_type(sources))
    return object_answer(service.catalogue.put(bucket, name, content, settings, conditions), request)


def _copy(service: Service, request: Request) -> StoredObject:
    own = object_settings(request.resource())
    with service.catalogue.lock:
        source = _source(service, request)
        settings = settings_or(own, source.settings)
        return _duplicate(service, request, source, (request.names[2], request.names[3]), settings)


def _source(service: Service, request: Request) -> StoredObject:
    bucket, name = request.names[:2]
    source = service.catalogue.find(bucket, name, generation_of(request.query, "sourceGeneration"))
    from_query(request.query, "ifSource").check_write(source)
    return source


def _duplicate(
    service: Service, request: Request, source: StoredObject, to: tuple[str, str], settings: Mapping[str, Any]
) -> StoredObject:
    bucket, name = to[0], check_object_name(to[1])
    conditions = from_request(request.query, request.headers)
    content = Content(
        path=linked(service.disk.data(source.generation), service.disk.incoming),
        size=source.size,
        crc32c=source.crc32c,
        md5=source.md5,
        components=source.components,
    )
    return service.catalogue.put(bucket, name, content, settings, conditions)


def _entries(resource: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    entries = resource.get("sourceObjects")
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, dict) for entry in entries):
        raise invalid("You must provide at least one source component.", "sourceObjects")
    if len(entries) > MAX_COMPONENTS:
        count = f"The number of source components provided ({len(entries)})"
        raise invalid(f"{count} exceeds the maximum ({MAX_COMPONENTS}).", "sourceObjects")
    return entries


def _component(service: Service, bucket: str, entry: Mapping[str, Any]) -> StoredObject:
    named = {key: str(entry[key]) for key in ("generation",) if key in entry}
    source = service.catalogue.find(bucket, str(entry.get("name")), generation_of(named))
    wanted = _map(entry, "objectPreconditions")
    from_query({key: str(value) for key, value in wanted.items()}).check_write(source)
    return source


def _map(resource: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = resource.get(key) or {}
    if not isinstance(value, dict):
        raise invalid(f"Invalid value for {key}: it must be an object.", key)
    return value


def _concatenated(service: Service, sources: Sequence[StoredObject], opened: Sequence[IO[bytes]]) -> Content:
    with ContentWriter(service.disk.incoming) as writer:
        for file in opened:
            writer.write_all(pieces(file))
        return writer.finish_composite(sum(source.components or 1 for source in sources))


def _composed_type(sources: Sequence[StoredObject]) -> dict[str, Any]:
    return {"contentType": sources[0].content_type}
