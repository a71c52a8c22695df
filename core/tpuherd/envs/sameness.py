"""The same versions on all workers, proven."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.errors import PrepareError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tpuherd.remote import FanOut


def same_versions(done: FanOut) -> dict[str, str]:
    """The versions that the first worker printed, if all workers printed the same.

    Raises:
        PrepareError: some differ; package, workers and versions are named.
    """
    found = {result.worker.name: versions_in(result.stdout) for result in done.results}
    everything = sorted({name for versions in found.values() for name in versions})
    for name in everything:
        _require_one({worker: versions.get(name) for worker, versions in found.items()}, name)
    return next(iter(found.values()), {})


def _require_one(by_worker: Mapping[str, str | None], name: str) -> None:
    groups: dict[str, list[str]] = {}
    for worker, version in by_worker.items():
        groups.setdefault(version or "none", []).append(worker)
    if len(groups) > 1:
        told = ", ".join(f"{'/'.join(workers)} {version}" for version, workers in groups.items())
        raise PrepareError(
            f"workers have different versions of {name}: {told}; pin the version in the job file"
        )


def versions_in(printed: str) -> dict[str, str]:
    """From lines `name==version`; all others say something else, and the last one of a name counts."""
    pairs = (line.partition("==") for line in printed.splitlines() if not line.startswith("#"))
    return {name: version for name, mark, version in pairs if mark}
