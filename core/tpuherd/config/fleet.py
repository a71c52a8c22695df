"""The `fleet` section: several jobs of one file that share their work."""

from __future__ import annotations

from pydantic import Field

from tpuherd.config.sections import Section


class FleetSection(Section):
    """Members: jobs that differ in their zone only, and share the work among themselves."""

    members_per_zone: int = Field(
        1, ge=1, description="How many members there are for each of tpu.zones; each has slices of its own."
    )
    move: bool = Field(
        False,
        description="Whether a member that gets no capacity in its zone may try the others of tpu.zones.",
    )
    member: int | None = Field(
        None, ge=0, description="Which member a job is, from 0: written by tpuherd, leave it out."
    )
    members: int | None = Field(
        None, ge=1, description="How many members there are: written by tpuherd, leave it out."
    )
