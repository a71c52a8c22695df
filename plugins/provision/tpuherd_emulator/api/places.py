"""The zones of the cloud, and what each of them offers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tpuherd import zones
from tpuherd_emulator.api import errors

if TYPE_CHECKING:
    from tpuherd.accelerators import Accelerator

_ZONE_IN_NAME = re.compile(r"projects/[^/]+/locations/([^/]+)")
_ANY = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The zones where Google sells TPUs, and others that somebody has added."""

    more: tuple[str, ...] = ()
    """Zones that do not exist elsewhere; they offer every accelerator."""

    def zones(self) -> list[str]:
        """All zones, in order."""
        return sorted(zones.KNOWN.union(self.more))

    def knows(self, zone: str) -> bool:
        """True if there is such a zone."""
        return zone in zones.KNOWN or zone in self.more

    def offers(self, zone: str, accelerator: Accelerator) -> bool:
        """True if a zone has an accelerator."""
        return zone in self.more or (self.knows(zone) and zones.is_sold(accelerator, zone))

    def check(self, zone: str, accelerator: Accelerator) -> None:
        """Refuse an accelerator that a zone does not have; the text is our own: the real one is not public.

        Raises:
            ApiError: The zone has none.
        """
        if not self.offers(zone, accelerator):
            raise errors.invalid(
                f"Invalid accelerator type '{accelerator.name}': it is not offered in zone {zone}"
            )

    def check_request(self, request: Any) -> None:
        """Refuse a request about a zone that does not exist.

        Args:
            request: A plain message; its zone is in `parent`, in `name`, or in the name of its node.

        Raises:
            ApiError: There is no such zone, or one may not use it: the API does not tell.
        """
        node = getattr(request, "node", None)
        name = getattr(request, "parent", "") or getattr(request, "name", "") or getattr(node, "name", "")
        found = _ZONE_IN_NAME.match(name)
        if found and found[1] != _ANY and not self.knows(found[1]):
            raise errors.location_denied(found[1])
