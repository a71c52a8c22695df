"""Buckets and objects as values."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """One bucket. `settings` is the client's part of the API's JSON resource; times are RFC 3339, UTC."""

    name: str
    generation: int
    metageneration: int = 1
    created: str
    updated: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def etag(self) -> str:
        """Opaque, differs between versions."""
        return _etag(self.generation, self.metageneration)

    @property
    def location(self) -> str:
        """Where the real service would keep it."""
        return str(self.settings.get("location") or "US").upper()

    @property
    def location_type(self) -> str:
        """Of the location: its region's, unless it is one of the three continents."""
        return "multi-region" if self.location in ("US", "EU", "ASIA") else "region"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredObject:
    """One live object. `size` in bytes; `settings` as in `Bucket`; composites have `components`, no `md5`."""

    bucket: str
    name: str
    generation: int
    metageneration: int = 1
    size: int
    crc32c: str
    md5: str | None
    components: int | None = None
    created: str
    updated: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def etag(self) -> str:
        """Opaque, differs between versions."""
        return _etag(self.generation, self.metageneration)

    @property
    def content_type(self) -> str:
        """Of the content, as the client said."""
        return str(self.settings.get("contentType", "application/octet-stream"))


def now_text() -> str:
    """This moment in RFC 3339 with milliseconds, as the API writes it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _etag(generation: int, metageneration: int) -> str:
    return base64.b64encode(f"{generation}/{metageneration}".encode()).decode()
