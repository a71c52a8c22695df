"""The JSON files of a dataset: the same values make the same bytes."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from ..errors import PlaceError


def to_bytes(value: Any) -> bytes:
    """Canonical JSON, for people to read."""
    return (json.dumps(value, sort_keys=True, indent=1, ensure_ascii=False) + "\n").encode()


def from_bytes(data: bytes, where: str) -> Any:
    """What a JSON file says; raises `PlaceError` if it is none."""
    try:
        return json.loads(data)
    except ValueError as error:
        raise PlaceError(f"{where}: this is no JSON: {error}") from error


def digest(value: Any) -> str:
    """16 hexadecimal digits that stand for a value."""
    return hashlib.sha256(to_bytes(value)).hexdigest()[:16]
