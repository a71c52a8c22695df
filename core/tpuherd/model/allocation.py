"""What a job holds: slices and their workers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """One TPU VM of a slice; it runs one JAX process unless told otherwise."""

    index: int
    """Number in the whole allocation, from 0: also the JAX process id."""
    slice_index: int
    """Which slice of the allocation, from 0."""
    slice_worker: int
    """Number within its slice, from 0; the order of the API's `networkEndpoints`."""
    node_id: str
    """Id of the node (slice) it belongs to."""
    internal_address: str
    """Address among workers: coordinator and collectives use it."""
    ssh_address: str
    """Address at which this machine reaches it over SSH."""
    incarnation: str = ""
    """The incarnation of its slice, where it is known: names of nodes are reused, also in other zones."""

    @property
    def name(self) -> str:
        """The name shown before its log lines, for example `w0`."""
        return f"w{self.index}"

    @property
    def host_key_name(self) -> str:
        """The name under which its host key is kept: addresses are reused, this is not."""
        vms = f"{self.node_id}.{self.incarnation}" if self.incarnation else self.node_id
        return f"tpu.{vms}-{self.slice_worker}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """TPU chips joined by ICI; the API calls it a node."""

    node_id: str
    zone: str
    accelerator: str
    incarnation: str
    """Changes when the VMs are re-created under the same name."""
    workers: tuple[Worker, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """What a job holds now."""

    slices: tuple[Slice, ...]
    project: str
    queued_resource_id: str | None = None
    """The queued resource that the slices came through; `None` for directly created nodes."""

    @property
    def workers(self) -> tuple[Worker, ...]:
        """All workers of all slices, in the order of their index."""
        return tuple(worker for piece in self.slices for worker in piece.workers)

    @property
    def incarnation(self) -> str:
        """One id for the VMs of this allocation; what was installed is valid for it only."""
        return "+".join(piece.incarnation for piece in self.slices)

    @property
    def zone(self) -> str:
        """The zone of the slices."""
        return self.slices[0].zone

    @property
    def accelerator(self) -> str:
        """The type of each slice: one of those that the job file names."""
        return self.slices[0].accelerator
