"""Names that buckets and objects may have."""

from __future__ import annotations

import re

from tpuherd_emulator.storage.errors import invalid

_BUCKET_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]")


def check_bucket_name(name: object) -> str:
    """Check a name for a new bucket.

    Raises:
        StorageError: 400. Rules: https://cloud.google.com/storage/docs/buckets#naming
    """
    if not isinstance(name, str) or not _BUCKET_NAME.fullmatch(name) or _is_bad_domain(name):
        raise invalid(f"Invalid bucket name: {name!r}", "name")
    return name


def check_object_name(name: object) -> str:
    """Check a name for a new object.

    Raises:
        StorageError: 400. Rules: https://cloud.google.com/storage/docs/objects#naming
    """
    if not isinstance(name, str) or not name:
        raise invalid("Required parameter: name", "name")
    if len(name.encode(errors="replace")) > 1024 or name in (".", "..") or "\n" in name or "\r" in name:
        raise invalid(f"Invalid object name: {name!r}", "name")
    return name


def _is_bad_domain(name: str) -> bool:
    return ".." in name or max(map(len, name.split("."))) > 63
