"""Run as `python -m tpuherd.cleanup JOB` by `tpuherd run --keep`, never by hand: see `watching`."""

from __future__ import annotations

import sys
from pathlib import Path

from tpuherd.cleanup.watching import Watcher, only_one
from tpuherd.manager import make_plugin_manager
from tpuherd.output.reporter import Reporter
from tpuherd.store.store import open_store


def main(job_id: str) -> None:
    """Watch a job until it holds nothing."""
    store = open_store()
    record = store.jobs.get(job_id)
    with only_one(Path(record.directory)) as first:
        if first:
            Watcher(store, make_plugin_manager(), Reporter(), job_id).run()


if __name__ == "__main__":
    main(sys.argv[1])
