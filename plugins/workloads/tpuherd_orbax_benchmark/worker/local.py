"""This worker's own folder, for emergency checkpoints: it outlives an attempt, not its job."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def local_folder(given: str) -> Path:
    """Return the job's folder below the given one; it is empty unless the attempt goes on from another.

    Args:
        given: A folder of this worker; `~` and variables stand for what they are here.

    Raises:
        OSError: It cannot be emptied or made.
    """
    folder = Path(os.path.expandvars(given)).expanduser() / os.environ.get("TPUHERD_JOB_ID", "job")
    if os.environ.get("TPUHERD_RESUME") != "1" and folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    return folder
