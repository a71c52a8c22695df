"""A machine that exists already: one slice, as a file or the TPU API tells of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd import Slice, Worker

if TYPE_CHECKING:
    from tpuherd.store.aliases import MachineName


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """The addresses of one worker."""

    internal: str
    ssh: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """One slice that a job may claim."""

    known_as: MachineName
    zone: str
    """Where it is or, if a file does not say so, where the job looks for it."""
    accelerator: str
    incarnation: str
    endpoints: tuple[Endpoint, ...]
    claims: tuple[str, ...]
    """What has to be claimed in the store so that no other job uses it."""
    obstacle: str = ""
    """Why it cannot be used now; empty: nothing is known against it."""

    def to_slice(self, slice_index: int, first_worker: int) -> Slice:
        """The slice, as one of an allocation.

        Args:
            slice_index: its number in the allocation.
            first_worker: index in the allocation of its worker 0.
        """
        return Slice(
            node_id=self.known_as.name,
            zone=self.zone,
            accelerator=self.accelerator,
            incarnation=self.incarnation,
            workers=tuple(
                Worker(
                    index=first_worker + number,
                    slice_index=slice_index,
                    slice_worker=number,
                    node_id=self.known_as.name,
                    internal_address=endpoint.internal,
                    ssh_address=endpoint.ssh,
                    incarnation=self.incarnation,
                )
                for number, endpoint in enumerate(self.endpoints)
            ),
        )
