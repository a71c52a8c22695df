"""Mounting the buckets on all workers, and unmounting them."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from tpuherd.around import LEAVE_S, do, leave, until_cancelled
from tpuherd.envs import Recipe, environment_key
from tpuherd_gcsfuse.command import flags
from tpuherd_gcsfuse.config import Buckets

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tpuherd import Allocation, Job
    from tpuherd.remote import FanOut
    from tpuherd_gcsfuse.config import Bucket

MOUNT_S = 900.0
"""Mounting takes seconds; installing takes minutes, and may wait for the updates after boot."""
NEW = "mounted "
"""How the lines begin that say what was mounted, and by which version."""


def mount(job: Job, allocation: Allocation) -> None:
    """Have all buckets mounted everywhere, in one round trip if they are.

    Raises:
        PrepareError: a bucket cannot be mounted on some worker; the end of gcsfuse's log is in the message.
        Cancelled: the job was cancelled; what installed gcsfuse was ended.
    """
    buckets = job.spec.section(Buckets)
    records = [*_prefixes(buckets), *(_record(job, buckets, one) for one in buckets.mounts)]
    words = ("mount", buckets.program, "yes" if buckets.install else "no")
    recipe = _recipe(words, "mounting buckets", MOUNT_S, records)
    done = until_cancelled(
        job, allocation, lambda mark: do(job, allocation, recipe, variables=lambda _worker: mark)
    )
    for text in _told(done):
        job.session.note(text)


def unmount(job: Job, allocation: Allocation) -> None:
    """Unmount all buckets that this plugin has mounted.

    Raises:
        PrepareError: one could not be unmounted.
    """
    leave(job, allocation, _recipe(("unmount",), "unmounting buckets", LEAVE_S, []))


def _record(job: Job, buckets: Buckets, one: Bucket) -> list[str]:
    """The key of a mount, its folder, and the command, in which `mount.sh` puts the folder last."""
    endpoints = [f"{name}={value}" for name, value in job.cloud.worker_variables.items()]
    command = ["env", *endpoints, buckets.program, *flags(one), one.bucket_name]
    key = environment_key(command, one.cache.prefix if one.cache else None)
    return ["bucket", key, one.mount_path, *command]


def _prefixes(buckets: Buckets) -> list[list[str]]:
    """The scripts that run before something is mounted, for example to make room for a cache."""
    scripts = dict.fromkeys(one.cache.prefix for one in buckets.mounts if one.cache and one.cache.prefix)
    return [["prefix", script] for script in scripts]


def _recipe(words: tuple[str, ...], action: str, timeout_s: float, records: list[list[str]]) -> Recipe:
    return Recipe(
        action=action,
        folder="mounts",
        key="gcsfuse",
        script=files("tpuherd_gcsfuse").joinpath("mount.sh").read_text(),
        arguments=words,
        stdin="".join(f"{word}\0" for one in records for word in (str(len(one)), *one)).encode(),
        timeout_s=timeout_s,
    )


def _told(done: FanOut) -> Iterable[str]:
    """What was mounted anew: a line for each text, with the workers that said it."""
    by_text: dict[str, list[str]] = {}
    for result in done.results:
        for line in result.stdout.splitlines():
            if line.startswith(NEW):
                by_text.setdefault(line, []).append(result.worker.name)
    return [f"{text} on {', '.join(workers)}" for text, workers in by_text.items()]
