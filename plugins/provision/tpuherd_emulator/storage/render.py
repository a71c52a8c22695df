"""How buckets and objects look in the JSON API, and in the headers of a download."""

from __future__ import annotations

import re
from datetime import datetime
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tpuherd_emulator.storage.resources import Bucket, StoredObject


def bucket_resource(bucket: Bucket, base: str) -> dict[str, Any]:
    """The API's `storage#bucket`."""
    computed = {
        "kind": "storage#bucket",
        "id": bucket.name,
        "name": bucket.name,
        "selfLink": f"{base}/storage/v1/b/{bucket.name}",
        "projectNumber": "0",
        "location": bucket.location,
        "locationType": bucket.location_type,
        "generation": str(bucket.generation),
        "metageneration": str(bucket.metageneration),
        "etag": bucket.etag,
        "timeCreated": bucket.created,
        "updated": bucket.updated,
    }
    return {"storageClass": "STANDARD"} | dict(bucket.settings) | computed


def object_resource(stored: StoredObject, base: str) -> dict[str, Any]:
    """The API's `storage#object`. Numbers of 64 bits are strings, as everywhere in the API."""
    path = f"b/{stored.bucket}/o/{quote(stored.name, safe='')}"
    resource: dict[str, Any] = {"storageClass": "STANDARD", "contentType": stored.content_type} | dict(
        stored.settings
    )
    resource |= {
        "kind": "storage#object",
        "id": f"{stored.bucket}/{stored.name}/{stored.generation}",
        "selfLink": f"{base}/storage/v1/{path}",
        "mediaLink": f"{base}/download/storage/v1/{path}?generation={stored.generation}&alt=media",
        "name": stored.name,
        "bucket": stored.bucket,
        "generation": str(stored.generation),
        "metageneration": str(stored.metageneration),
        "size": str(stored.size),
        "crc32c": stored.crc32c,
        "etag": stored.etag,
        "timeCreated": stored.created,
        "updated": stored.updated,
        "timeStorageClassUpdated": stored.created,
        "timeFinalized": stored.created,
    }
    return resource | _optional({"md5Hash": stored.md5, "componentCount": stored.components})


def media_headers(stored: StoredObject) -> dict[str, str]:
    """The headers that go with an object's content in both APIs."""
    settings = stored.settings
    md5 = f",md5={stored.md5}" if stored.md5 else ""
    headers = {
        "Content-Type": stored.content_type,
        "ETag": f'"{stored.etag}"',
        "Last-Modified": format_datetime(datetime.fromisoformat(stored.updated), usegmt=True),
        "Accept-Ranges": "bytes",
        "X-Goog-Hash": f"crc32c={stored.crc32c}{md5}",
        "X-Goog-Generation": str(stored.generation),
        "X-Goog-Metageneration": str(stored.metageneration),
        "X-Goog-Storage-Class": str(settings.get("storageClass", "STANDARD")),
        "X-Goog-Stored-Content-Encoding": str(settings.get("contentEncoding", "identity")),
        "X-Goog-Stored-Content-Length": str(stored.size),
    }
    chosen = {header: settings.get(key) for key, header in _SETTING_HEADERS.items()}
    metadata = {f"X-Goog-Meta-{key}": quote(text) for key, text in _sendable(settings)}
    return headers | _optional(chosen) | metadata


_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_SETTING_HEADERS = {
    "contentEncoding": "Content-Encoding",
    "contentDisposition": "Content-Disposition",
    "contentLanguage": "Content-Language",
    "cacheControl": "Cache-Control",
}


def _sendable(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    return ((key, text) for key, text in settings.get("metadata", {}).items() if _HEADER_NAME.fullmatch(key))


def _optional(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}
