"""Names of what a job asks for: name and place come from one `Target`."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from tpuherd.cloud.listing import whole
from tpuherd.cloud.queued import wanted_ids
from tpuherd.cloud.target import Target
from tpuherd.config.naming import LONGEST, has_index

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tpuherd.cloud.placement import Placement
    from tpuherd.config.tpu import TpuSection
    from tpuherd.model.cloud import Cloud
    from tpuherd.model.job import Job

LONGEST_NAME = 63
"""Letters that the API allows."""


def candidates(job: Job, placement: Placement) -> Iterator[Target]:
    """What can be asked for in a placement, under one name after the other.

    A template has one name for a job; with `{index}` it has one for each number that is free in the zone,
    smallest first.

    Raises:
        CloudRefused: the names that are taken are not known.
    """
    if not has_index(job.spec.tpu.name):
        yield target_of(job, placement)
        return
    taken = taken_names(job.cloud, placement.zone)
    for index in count():
        target = target_of(job, placement, index)
        if taken.isdisjoint({target.name, *target.node_ids}):
            yield target


def target_of(job: Job, placement: Placement, index: int | None = None) -> Target:
    """What the job's current attempt asks for in a placement; attempts have names of their own."""
    tpu = job.spec.tpu
    suffix = "" if index is not None else _suffix(job, placement)
    room = LONGEST_NAME - len(suffix) - (0 if tpu.slices == 1 else len(f"-{tpu.slices}"))
    base = tpu.name_for(job.owner, job.id, placement, index, longest=min(room, LONGEST))
    return Target(placement=placement, name=base + suffix, slices=tpu.slices)


def taken_names(cloud: Cloud, zone: str) -> set[str]:
    """Names of all nodes and queued resources in a zone, and of the nodes that these are going to have."""
    nodes = {item.name.rpartition("/")[2] for item in whole(cloud, zone, "list_nodes")}
    queued = whole(cloud, zone, "list_queued_resources")
    return nodes.union(*({item.name.rpartition("/")[2], *wanted_ids(item)} for item in queued))


def _suffix(job: Job, placement: Placement) -> str:
    """What keeps the names of types and attempts apart, where the template does not."""
    again = f"-{job.attempt.number}" if job.attempt.number > 1 else ""
    return kind_suffix(job.spec.tpu, placement) + again


def kind_suffix(tpu: TpuSection, placement: Placement) -> str:
    """What keeps the names of several types apart, where the template does not."""
    needed = len(tpu.accelerators) > 1 and "{accelerator}" not in tpu.name
    return f"-{placement.accelerator}" if needed else ""
