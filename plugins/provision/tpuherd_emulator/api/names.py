"""Resource names: `projects/P/locations/Z/nodes/N`, taken apart and checked as the API does."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tpuherd_emulator.api import errors
from tpuherd_emulator.options import ZONE

_LOCATION = re.compile(r"projects/([^/]+)/locations/([^/]+)")
_ID = re.compile(r"[a-z]([a-z0-9-]{0,61}[a-z0-9])?")

ANY_ZONE = "-"
"""In list requests: all zones."""


@dataclass(frozen=True, slots=True)
class Location:
    """A zone of a project."""

    project: str
    zone: str

    def __str__(self) -> str:
        return f"projects/{self.project}/locations/{self.zone}"

    def covers(self, name: str) -> bool:
        """True if a resource is in this location, or in any if the zone is `-`."""
        other = _LOCATION.match(name)
        return other is not None and self.zone in (ANY_ZONE, other[2])


def location(parent: str, project: str, *, any_zone: bool = False) -> Location:
    """Check the name of a location.

    Args:
        parent: `projects/P/locations/Z`.
        project: The only project that there is.
        any_zone: Allow `-` for all zones.

    Raises:
        ApiError: It is malformed, of another project, or no zone.
    """
    match = _LOCATION.fullmatch(parent)
    if not match:
        raise errors.invalid(f"Malformed name: '{parent}'; expected 'projects/*/locations/*'")
    if match[1] != project:
        raise errors.permission_denied("tpu.locations.get", f"projects/{match[1]}")
    if not (ZONE.fullmatch(match[2]) or (any_zone and match[2] == ANY_ZONE)):
        raise errors.location_denied(match[2])
    return Location(*match.groups())


def resource(name: str, collection: str, project: str) -> str:
    """Check the name of a resource and return its last part.

    Raises:
        ApiError: It is malformed, of another project, or its location is no zone.
    """
    parent, slash, last = name.rpartition(f"/{collection}/")
    if not slash or not last or "/" in last:
        raise errors.invalid(f"Malformed name: '{name}'; expected 'projects/*/locations/*/{collection}/*'")
    location(parent, project)
    return last


def check_id(identifier: str, field: str) -> None:
    """Check an id that a caller has chosen.

    Raises:
        ApiError: It is no name of a Compute Engine VM, which it becomes a part of.
    """
    if not _ID.fullmatch(identifier):
        raise errors.invalid(
            f"Invalid {field} '{identifier}'; it must match '{_ID.pattern}': lowercase letters, digits and "
            "hyphens, at most 63, starting with a letter and not ending with a hyphen"
        )


def worker_index(text: str, count: int, name: str) -> int:
    """Return the number of a worker that a request names.

    Raises:
        ApiError: The node `name` has `count` workers, and none like that.
    """
    if not text.isdecimal() or int(text) >= count:
        raise errors.invalid(f"Invalid worker_ids: {name} has no worker '{text}'")
    return int(text)


def zone_of(name: str) -> str:
    """Return the zone in a checked name."""
    return name.split("/")[3]
