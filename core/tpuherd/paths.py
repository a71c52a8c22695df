"""Where tpuherd keeps its things on this machine."""

from __future__ import annotations

import os
from pathlib import Path


def home() -> Path:
    """The folder of all that tpuherd keeps: `$TPUHERD_HOME`, else the user's state folder."""
    chosen = os.environ.get("TPUHERD_HOME")
    if chosen:
        return Path(chosen).expanduser().absolute()
    from platformdirs import user_state_path

    return user_state_path("tpuherd")


def jobs_directory() -> Path:
    """One folder per job: logs and results."""
    return home() / "jobs"


def known_hosts(job_id: str) -> Path:
    """The host keys of one job's workers; they are pinned at first contact and forgotten with the job."""
    return jobs_directory() / job_id / "known_hosts"


def database_url() -> str:
    """The store: `$TPUHERD_DATABASE` (any SQLAlchemy URL), else an SQLite file in `home()`."""
    return os.environ.get("TPUHERD_DATABASE") or f"sqlite:///{home() / 'tpuherd.sqlite'}"
