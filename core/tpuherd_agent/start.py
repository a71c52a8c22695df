"""`start`: exactly once per attempt id, whatever happens."""

from __future__ import annotations

import os
import sys

from tpuherd_agent import locks
from tpuherd_agent.attempt import find, home
from tpuherd_agent.devices import holders
from tpuherd_agent.errors import BUSY, NOT_STOPPED, SPEC_WRONG, AgentError
from tpuherd_agent.files import write_atomically
from tpuherd_agent.keeper import keep
from tpuherd_agent.status import Status, read_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from tpuherd_agent.attempt import Attempt
    from tpuherd_agent.spec import Spec


def start(spec: Spec) -> Status:
    """Starts the workload, unless that was done before or a stop came first; returns the attempt's state.

    Raises:
        AgentError: Nothing was started: no working folder, a TPU device is held, or the system refused.
        OSError: Nothing was started: a file could not be written.
    """
    attempt = find(spec.attempt)
    if not spec.working_directory(home()).is_dir():
        message = (
            f"spec: cwd: no folder {spec.working_directory(home())} on this worker; was the code synced?"
        )
        raise AgentError(message, SPEC_WRONG)
    attempt.create()
    with locks.locked(attempt.lock) as lock:
        if not attempt.marker.exists() and not attempt.stop.exists():
            _start_first(attempt, spec, lock)
    return read_status(attempt)


def _start_first(attempt: Attempt, spec: Spec, lock: int) -> None:
    if spec.check_devices:
        _require_free_devices()
    if spec.script:
        write_atomically(attempt.script, spec.script.encode())
    for name, text in spec.files.items():
        _write(attempt.directory / name, text)
    _report(_fork_keeper(attempt, spec, lock), attempt)


def _require_free_devices() -> None:
    found = holders()
    if found:
        names = "; ".join(f"pid {h.pid} ({h.command or '?'}) holds {', '.join(h.devices)}" for h in found)
        message = f"TPU device busy: {names}; end that process, or let its owner end it, then start again"
        raise AgentError(message, BUSY, {"device_holders": [holder._asdict() for holder in found]})


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(path, text.encode())


def _fork_keeper(attempt: Attempt, spec: Spec, lock: int) -> int:
    """Forks a keeper with a session of its own, which nobody waits for; returns the pipe of its report."""
    sys.stdout.flush()
    reading, writing = os.pipe()
    if os.fork() == 0:
        try:
            os.setsid()
            keep(attempt, spec, lock, writing)
        except Exception:  # noqa: BLE001  (the keeper's last words, for its log)
            _print_traceback()
        finally:
            os._exit(0)
    os.close(writing)
    return reading


def _print_traceback() -> None:
    import traceback

    traceback.print_exc()


def _report(pipe: int, attempt: Attempt) -> None:
    """Waits until the keeper has started the workload, or has died."""
    with os.fdopen(pipe, "rb") as report:
        refusal = report.read().decode(errors="replace").strip()
    if refusal:
        raise AgentError(f"nothing was started: {refusal}", NOT_STOPPED)
    if not attempt.marker.exists():
        raise AgentError("nothing was started: the keeper died at once; start again", NOT_STOPPED)
