"""What a daemon that could not clean up itself has left, and how it goes away."""

from __future__ import annotations

import signal
from pathlib import Path

from tpuherd_emulator.files import discard
from tpuherd_emulator.info import load
from tpuherd_emulator.layout import CLOUD_MARKER, WORKER_MARKER, Layout
from tpuherd_emulator.processes import ProcessId, marked, send, wait_gone
from tpuherd_emulator.workers import ending

STOP_TIMEOUT_S = 10.0
"""For a daemon to end all of its workers after SIGTERM."""


def daemons(layout: Layout) -> set[ProcessId]:
    """Return the daemons of a cloud: the one in `cloud.json`, and any that was still starting."""
    info = load(layout.info)
    known = {ProcessId(info.pid, info.pid_started)} if info else set()
    starting = {process for root, process in marked(CLOUD_MARKER) if root == str(layout.root)}
    return {process for process in known | starting if process.alive()}


def clean(layout: Layout) -> tuple[str, ...]:
    """End the daemon and all workers of a cloud, and remove what they left.

    Returns:
        One sentence per thing that was cleaned.
    """
    folders = _worker_folders(layout)
    said = [_stop_daemon(process) for process in daemons(layout)]
    said += _end_workers(layout, folders)
    said += [f"Removed the folder of worker {folder.name}." for folder in folders]
    for path in (layout.workers, layout.storage):
        discard(path, layout.discarded)
    for path in (layout.info, layout.state, layout.options):
        path.unlink(missing_ok=True)
    return tuple(said)


def _worker_folders(layout: Layout) -> list[Path]:
    return sorted(layout.workers.iterdir()) if layout.workers.is_dir() else []


def _stop_daemon(process: ProcessId) -> str:
    send(process, signal.SIGTERM)
    if wait_gone(process, STOP_TIMEOUT_S):
        return f"Stopped the daemon, process {process.pid}."
    send(process, signal.SIGKILL)
    wait_gone(process, STOP_TIMEOUT_S)
    return f"Killed the daemon, process {process.pid}: it did not stop within {STOP_TIMEOUT_S:.0f} s."


def _end_workers(layout: Layout, folders: list[Path]) -> list[str]:
    """Also those whose folder is gone but whose processes still carry its name."""
    carried = {Path(folder) for folder, _ in marked(WORKER_MARKER) if Path(folder).parent == layout.workers}
    ended = ending.power_off(carried | set(folders))
    return [f"Killed {ended} processes on workers."] if ended else []
