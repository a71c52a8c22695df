"""Records on disk: written whole or not at all."""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC


def write_atomically(path: Path, data: bytes) -> None:
    """Replaces a file by new content; a reader sees the old or the new one, a full disk leaves the old one.

    Raises:
        OSError: The file could not be written; `path` is as it was.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with os.fdopen(os.open(temporary, _NEW, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def write_record(path: Path, record: dict[str, object]) -> None:
    """Writes a JSON object; see `write_atomically`."""
    write_atomically(path, json.dumps(record).encode() + b"\n")


def read_record(path: Path) -> dict[str, object]:
    """The JSON object in a file; empty if there is none or if it makes no sense."""
    try:
        record = json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def create_marker(path: Path) -> bool:
    """Creates an empty file, for good, even if the power fails next; returns False if it exists already."""
    try:
        marker = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return False
    _sync(marker)
    _sync(os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC))
    return True


def _sync(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
