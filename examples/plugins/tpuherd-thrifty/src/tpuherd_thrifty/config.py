"""The `thrifty` section of the job file."""

from __future__ import annotations

from pydantic import Field

from tpuherd.config.sections import Section


class ThriftySection(Section):
    """How much failures may cost."""

    usd: float = Field(gt=0, description="Give up when failed attempts have cost more, by list prices.")
