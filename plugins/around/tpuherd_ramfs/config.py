"""The `ramfs` section of the job file."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tpuherd.config.folders import OwnFolder
from tpuherd.config.sections import Section


class RamfsSection(Section):
    """A folder in the memory of every worker; `${ramfs.path}` names it elsewhere in the job file."""

    path: OwnFolder = Field(
        "/mnt/ramfs", description="The folder, from / or ~/; nothing may be in it before."
    )
    size_gib: float | None = Field(
        None,
        gt=0,
        description="The most that fits into it, in GiB (a tmpfs); by default there is no bound (a ramfs), "
        "and a worker whose memory it fills up dies.",
    )
    between_attempts: Literal["keep", "wipe"] = Field(
        "keep", description="What the next attempt on the same workers finds in it: keep all, or wipe it."
    )
