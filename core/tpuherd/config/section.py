"""A plugin's own section of the job file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import BaseModel


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigSection:
    """What a plugin contributes to the job file."""

    name: str
    """The top-level key."""
    model: type[BaseModel]
    """What the section may say: a subclass of `tpuherd.config.sections.Section`, every field described."""
    description: str
    """One sentence for the schema."""
