"""How long each phase of getting TPUs may take: keys of the `tpu` section."""

from __future__ import annotations

from pydantic import Field

from tpuherd.config.sections import Section

WEEK_S = 7 * 24 * 3600.0


class DeadlineKeys(Section):
    """One deadline for every phase, and one for all of it."""

    provision_timeout_s: float = Field(
        WEEK_S, gt=0, description="Longest wait for the TPUs, in seconds; a queue may take days."
    )
    accepted_timeout_s: float = Field(
        300.0, gt=0, description="Longest wait until the API shows what was asked for, in seconds."
    )
    queue_timeout_s: float = Field(
        WEEK_S, gt=0, description="Longest wait in the queue of one zone, in seconds; then the next is tried."
    )
    active_timeout_s: float = Field(
        3600.0, gt=0, description="Longest creation, from the start of provisioning to ready, in seconds."
    )
    connect_timeout_s: float = Field(
        600.0, gt=0, description="Longest wait for all workers to answer over SSH, in seconds."
    )
