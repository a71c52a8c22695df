"""Which files of a folder hold documents; what is not read is named, never passed over in silence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import InputError
from .source import GZIP, KNOWN, PACKED
from .streams import COUNTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..places import Place

COMPRESSED = (GZIP, ".bz2", ".xz", ".zst", ".lz4", ".zip")
BESIDE = (COUNTS, "dataset_info.json", "dataset_dict.json", "state.json")
"""What `create-streams` and `datasets` write beside documents."""
NAMED = 5
"""So many files that are not read are named."""


def streams_in(place: Place) -> list[str]:
    """The files of documents of a place.

    Raises:
        InputError: there are none, or one is compressed in a way that is not read.
    """
    names = place.names()
    packed = [name for name in names if _is_packed(name)]
    if packed:
        raise InputError(
            f"{place.address}/{packed[0]}: files that are compressed in this way are not read: unpack it, "
            f"or pack lines and texts with gzip ({', '.join(PACKED)}); or move it elsewhere"
        )
    found = [name for name in names if _is_read(name)]
    if not found:
        raise InputError(f"{place.address}: there are no files of documents ({', '.join(KNOWN)})")
    return found


def left_out(place: Place) -> list[str]:
    """The files of a place that are not read, without those that belong to others or are hidden."""
    return [name for name in place.names() if not (_is_read(name) or _is_nothing(name))]


def told_left_out(names: Sequence[str]) -> str:
    """Files that are not read, in words; empty if there are none."""
    if not names:
        return ""
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return f"not read: {', '.join(names[:NAMED])}{more}"


def _is_read(name: str) -> bool:
    return name.endswith((*KNOWN, *PACKED)) and not name.endswith(COUNTS)


def _is_packed(name: str) -> bool:
    """Whether it looks like documents that somebody has compressed."""
    plain, dot, end = name.rpartition(".")
    return f"{dot}{end}" in COMPRESSED and plain.endswith((*KNOWN, ".tar")) and not _is_read(name)


def _is_nothing(name: str) -> bool:
    *_, last = parts = name.split("/")
    return last in ("", *BESIDE) or any(part.startswith((".", "_")) for part in parts)
