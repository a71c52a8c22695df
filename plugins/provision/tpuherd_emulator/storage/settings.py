"""The parts of bucket and object resources that clients may choose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd_emulator.storage.errors import invalid, not_served

if TYPE_CHECKING:
    from collections.abc import Mapping

_OBJECT_TEXTS = (
    "contentType",
    "contentEncoding",
    "contentDisposition",
    "contentLanguage",
    "cacheControl",
    "customTime",
    "storageClass",
)
_OBJECT_REFUSED = ("temporaryHold", "eventBasedHold", "retention", "kmsKeyName")
_BUCKET_REFUSED = ("versioning", "retentionPolicy", "hierarchicalNamespace", "objectRetention")
_BUCKET_COMPUTED = (
    *("kind", "id", "name", "selfLink", "etag", "projectNumber", "timeCreated", "updated", "generation"),
    *("metageneration", "locationType", "acl", "defaultObjectAcl", "owner", "softDeletePolicy"),
)


def object_settings(resource: Mapping[str, Any]) -> dict[str, Any]:
    """The client's part of an object resource; None values stay, they mean *remove* in a patch.

    Raises:
        StorageError: 400, metadata is no map of strings; 501, a setting that is not emulated.
    """
    _refuse(resource, _OBJECT_REFUSED)
    metadata = resource.get("metadata")
    if metadata is not None and not _is_string_map(metadata):
        raise invalid("Invalid value for metadata: it must map strings to strings.", "metadata")
    for key in _OBJECT_TEXTS:
        if not isinstance(resource.get(key), str | None):
            raise invalid(f"Invalid value for {key}: it must be a string.", key)
    return {key: resource[key] for key in (*_OBJECT_TEXTS, "metadata") if key in resource}


def bucket_settings(resource: Mapping[str, Any]) -> dict[str, Any]:
    """The same for a bucket.

    Raises:
        StorageError: 501, a setting that is not emulated.
    """
    _refuse(resource, _BUCKET_REFUSED)
    return {key: value for key, value in resource.items() if key not in _BUCKET_COMPUTED}


def merged(old: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON merge patch (RFC 7396): maps merge, None removes."""
    result = dict(old)
    for key, value in change.items():
        before = result.get(key)
        base = before if isinstance(before, dict) else {}
        result[key] = merged(base, value) if isinstance(value, dict) else value
    return {key: value for key, value in result.items() if value is not None}


def _is_string_map(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(text, str | None) for text in value.values())


def _refuse(resource: Mapping[str, Any], keys: tuple[str, ...]) -> None:
    for key in keys:
        value = resource.get(key)
        if value and value != {"enabled": False}:
            raise not_served(f"the setting {key!r}")
