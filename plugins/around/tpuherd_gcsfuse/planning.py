"""What `plan` says about the buckets."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from tpuherd import ConfigError, PlanStep
from tpuherd_gcsfuse.command import flags
from tpuherd_gcsfuse.config import Buckets

if TYPE_CHECKING:
    from tpuherd.config.spec import JobSpec


def steps(spec: JobSpec) -> list[PlanStep]:
    """One step for each bucket.

    Raises:
        ConfigError: a cache has a size and no folder, which gcsfuse would ignore.
    """
    buckets = spec.section(Buckets)
    for mount in buckets.mounts:
        if mount.cache and mount.cache.file_cache_max_size_mb and not mount.cache.dir:
            raise ConfigError(
                f"gcsfuse: the file cache of {mount.mount_path} has a size and no folder: write cache.dir"
            )
    words = [[buckets.program, *flags(m), m.bucket_name, m.mount_path] for m in buckets.mounts]
    return [
        PlanStep(stage="equip_workers", where="every worker", action=shlex.join(command)) for command in words
    ]
