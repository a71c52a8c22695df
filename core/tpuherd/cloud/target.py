"""One request to the TPU API: what is asked for, where, and under which name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tpuherd.cloud.placement import Placement


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a job asks for in one placement."""

    placement: Placement
    name: str
    """Id of the node or, if it goes through the queue, of the queued resource."""
    slices: int = 1

    @property
    def zone(self) -> str:
        """Where."""
        return self.placement.zone

    @property
    def accelerator(self) -> str:
        """Type of each slice."""
        return self.placement.accelerator

    @property
    def node_ids(self) -> tuple[str, ...]:
        """Ids of the nodes, as the API numbers those of a multislice."""
        return node_ids(self.name, self.slices)


def node_ids(name: str, slices: int) -> tuple[str, ...]:
    """Ids of the nodes of a request: its name, or its name with a number for each of several slices."""
    return (name,) if slices == 1 else tuple(f"{name}-{number}" for number in range(slices))
