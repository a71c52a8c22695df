"""What may ail a worker, as far as its own user can see."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tpuherd_agent import processes
from tpuherd_agent.attempt import existing, home
from tpuherd_agent.devices import holders
from tpuherd_agent.mounts import answers, mounts
from tpuherd_agent.status import read_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tpuherd_agent.attempt import Attempt

LOCK_FILE = "libtpu_lockfile"
"""libtpu keeps it in the folder for temporary files while it uses the chips."""
APT_LOCKS = ("/var/lib/dpkg/lock-frontend", "/var/lib/dpkg/lock", "/var/lib/apt/lists/lock")
REMOTE_TYPES = ("fuse", "nfs", "cifs", "9p")
"""Beginnings of file system types whose server may go away."""


def health() -> dict[str, object]:
    """What there is to know; times are seconds since the epoch by this worker's clock."""
    usage = shutil.disk_usage(home())
    return {
        "clock": time.time(),
        "python": ".".join(map(str, sys.version_info[:3])),
        "kernel": os.uname().release,
        "disk": {"free_bytes": usage.free, "total_bytes": usage.total},
        "broken_mounts": [path for path in remote_mounts() if not answers(path)],
        "own_mounts": [mount._asdict() for mount in mounts()],
        "apt_holders": sorted({pid for path in APT_LOCKS for pid in lock_holders(Path(path))}),
        "tpu_lock": _tpu_lock(),
        "device_holders": [holder._asdict() for holder in holders()],
        "attempts": [_attempt(one) for one in existing()],
    }


def lock_file() -> Path:
    """Where libtpu's lock file is, if it is anywhere."""
    return Path(tempfile.gettempdir()) / LOCK_FILE


def remove_stale_lock() -> bool:
    """Removes libtpu's lock file if nobody has it open or locked; returns whether it did."""
    path = lock_file()
    if not path.exists() or users(path):
        return False
    path.unlink()
    return True


def users(path: Path) -> list[int]:
    """The processes that have a file open or locked, as far as this user may see."""
    target = os.path.realpath(path)
    opened = (process.pid for process in processes.every() if target in _open_files(process.pid))
    return sorted({*opened, *lock_holders(path)})


def lock_holders(path: Path) -> list[int]:
    """The processes that hold a lock on a file; the kernel tells everybody."""
    try:
        about = path.stat()
        rows = (processes.PROC / "locks").read_text().splitlines()
    except OSError:
        return []
    inode = f"{os.major(about.st_dev):02x}:{os.minor(about.st_dev):02x}:{about.st_ino}"
    fields = (row.split() for row in rows if "->" not in row)  # which would be one that waits
    return [int(field[4]) for field in fields if field[5] == inode and int(field[4]) > 0]


def remote_mounts() -> list[str]:
    """Where file systems are mounted that somebody else serves."""
    rows = (row.split() for row in (processes.PROC / "self" / "mounts").read_text().splitlines())
    found = [fields[1] for fields in rows if fields[2].startswith(REMOTE_TYPES)]
    return [
        path.encode().decode("unicode_escape") for path in found if not path.startswith(("/sys", "/proc"))
    ]


def _tpu_lock() -> dict[str, object] | None:
    path = lock_file()
    if not path.exists():
        return None
    named = [{"pid": pid, "command": processes.command(pid)} for pid in users(path)]
    return {"path": str(path), "users": named}


def _attempt(attempt: Attempt) -> dict[str, object]:
    """Its state, and the processes that are left of it if it has ended."""
    status = read_status(attempt)
    left = [process.pid for process in processes.descendants(attempt)] if status.ended else []
    return {"attempt": attempt.identifier, "state": status.state, "left": left}


def _open_files(pid: int) -> list[str]:
    folder = processes.PROC / str(pid) / "fd"
    try:
        return [os.readlink(link) for link in folder.iterdir()]  # noqa: PTH115
    except OSError:
        return []  # gone, or another user's
