"""Calls on buckets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd_emulator.storage.conditions import from_request
from tpuherd_emulator.storage.messages import json_response, no_content
from tpuherd_emulator.storage.names import check_bucket_name
from tpuherd_emulator.storage.render import bucket_resource
from tpuherd_emulator.storage.settings import bucket_settings, merged

if TYPE_CHECKING:
    from tpuherd_emulator.storage.messages import Request, Response
    from tpuherd_emulator.storage.service import Service


def list_buckets(service: Service, request: Request) -> Response:
    """`GET b`: all buckets with a prefix, on one page."""
    prefix = request.query.get("prefix", "")
    found = [bucket for bucket in service.catalogue.buckets() if bucket.name.startswith(prefix)]
    items = [bucket_resource(bucket, request.base) for bucket in found]
    return json_response({"kind": "storage#buckets", "items": items})


def insert_bucket(service: Service, request: Request) -> Response:
    """`POST b`."""
    resource = request.resource()
    name = check_bucket_name(resource.get("name"))
    bucket = service.catalogue.add_bucket(name, merged({}, bucket_settings(resource)))
    return json_response(bucket_resource(bucket, request.base))


def get_bucket(service: Service, request: Request) -> Response:
    """`GET b/BUCKET`."""
    conditions = from_request(request.query, request.headers)
    return json_response(
        bucket_resource(service.catalogue.bucket(request.names[0], conditions), request.base)
    )


def patch_bucket(service: Service, request: Request) -> Response:
    """`PATCH b/BUCKET`: merge the settings."""
    change = bucket_settings(request.resource())
    catalogue = service.catalogue
    with catalogue.lock:
        bucket = catalogue.bucket(request.names[0])
        from_request(request.query, request.headers).check_write(bucket)
        changed = catalogue.set_bucket(bucket, merged(bucket.settings, change))
    return json_response(bucket_resource(changed, request.base))


def update_bucket(service: Service, request: Request) -> Response:
    """`PUT b/BUCKET`: replace the settings."""
    settings = merged({}, bucket_settings(request.resource()))
    catalogue = service.catalogue
    with catalogue.lock:
        bucket = catalogue.bucket(request.names[0])
        from_request(request.query, request.headers).check_write(bucket)
        changed = catalogue.set_bucket(bucket, settings)
    return json_response(bucket_resource(changed, request.base))


def delete_bucket(service: Service, request: Request) -> Response:
    """`DELETE b/BUCKET`: only an empty one."""
    service.catalogue.remove_bucket(request.names[0], from_request(request.query, request.headers))
    return no_content()


def get_storage_layout(service: Service, request: Request) -> Response:
    """`GET b/BUCKET/storageLayout`: a flat namespace; clients ask before they choose how to list."""
    bucket = service.catalogue.bucket(request.names[0])
    layout = {
        "kind": "storage#storageLayout",
        "bucket": bucket.name,
        "location": bucket.location,
        "locationType": bucket.location_type,
        "hierarchicalNamespace": {"enabled": False},
    }
    return json_response(layout)
