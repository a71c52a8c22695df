"""Where a job's workers most likely are: a command connects to them while it still finds out what to do.

A job's folder tells where its workers were when somebody reached them last. Nobody relies on it: what a
command does, and where, is decided by the store alone.
"""

from __future__ import annotations

from contextlib import suppress
from glob import escape

from tpuherd import paths
from tpuherd.holder.target import Target
from tpuherd_agent.files import read_record, write_record

NAME = "workers.json"


def remember(target: Target) -> None:
    """Note where a job's workers are; whatever prevents that only costs time later."""
    path = target.known_hosts.with_name(NAME)
    with suppress(OSError):
        if read_record(path) != target.to_header():
            write_record(path, target.to_header())


def foreseen(word: str) -> Target | None:
    """Where the workers of a job were.

    Args:
        word: the id of the job, the start of it, or its name; whatever else it may be means nothing here.
    """
    found = [] if "/" in word else list(paths.jobs_directory().glob(f"{escape(word)}*/{NAME}"))
    if len(found) != 1:
        return None
    with suppress(LookupError, OSError, TypeError, ValueError):
        return Target.from_header(read_record(found[0]))
    return None
