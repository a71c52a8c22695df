"""The command line of gcsfuse, as its versions since 2.5 understand it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tpuherd.config.jobman import GcsfuseCache
    from tpuherd_gcsfuse.config import Bucket

CACHE_FLAGS = {
    "dir": "--cache-dir",
    "metadata_ttl_secs": "--metadata-cache-ttl-secs",
    "stat_cache_max_size_mb": "--stat-cache-max-size-mb",
    "type_cache_max_size_mb": "--type-cache-max-size-mb",
    "file_cache_max_size_mb": "--file-cache-max-size-mb",
    "cache_file_for_range_read": "--file-cache-cache-file-for-range-read",
    "enable_parallel_downloads": "--file-cache-enable-parallel-downloads",
}
"""Keys of `cache` to options; see Google's page "gcsfuse CLI"."""


def flags(mount: Bucket) -> list[str]:
    """The options of one mount."""
    return [
        f"--implicit-dirs={_word(mount.implicit_dirs)}",
        *(["-o", "ro"] if mount.read_only else []),
        *([f"--only-dir={mount.only_dir}"] if mount.only_dir else []),
        *(_cache_flags(mount.cache) if mount.cache else []),
        *mount.options,
    ]


def _cache_flags(cache: GcsfuseCache) -> list[str]:
    values = ((flag, getattr(cache, key)) for key, flag in CACHE_FLAGS.items())
    return [f"{flag}={_word(value)}" for flag, value in values if value is not None]


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
