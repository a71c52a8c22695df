"""The `failover` section of the job file."""

from __future__ import annotations

from pydantic import Field

from tpuherd.config.sections import Section
from tpuherd.config.tpu_values import ZoneName


class FailoverSection(Section):
    """Where a job may go instead."""

    zones: tuple[ZoneName, ...] = Field(
        (), description="Zones in the order in which they are tried; default: those of tpu.zones."
    )
    after: int = Field(
        1, ge=1, description="How many slices a zone may lose, one after the other, before the job leaves it."
    )
