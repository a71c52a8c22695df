"""The `hello` section of the job file."""

from __future__ import annotations

from pydantic import Field

from tpuherd.config.sections import Section


class HelloSection(Section):
    """Whom every worker greets."""

    name: str = Field(description="Whom to greet.")
    times: int = Field(1, ge=1, description="How often.")
