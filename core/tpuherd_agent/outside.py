"""What an attempt runs outside its own processes, and the command that ends it: a container, for example."""

from __future__ import annotations

import os
import signal
import time

from tpuherd_agent.errors import NOT_STOPPED, AgentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tpuherd_agent.attempt import Attempt

END_TIMEOUT_S = 30.0
_TO_DEFAULT = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)
"""What the keeper switched off."""


def end_outside(attempt: Attempt, record: dict[str, object]) -> None:
    """Runs the end command of an attempt, if it has one, with the attempt's folder as its last word.

    Args:
        attempt: The attempt.
        record: That of its first process; see `Keeper.start`.

    Raises:
        AgentError: The command failed, or did not end in time.
    """
    words = record.get("end_command")
    if not isinstance(words, list) or not words:
        return
    code = _run([*map(str, words), str(attempt.directory)], str(record.get("path", os.defpath)))
    if code != 0:
        why = "did not end" if code is None else f"failed: exit {code}"
        raise AgentError(
            f"what runs outside the attempt's processes is not ended: {words[0]} {why}", NOT_STOPPED
        )


def _run(argv: list[str], path: str) -> int | None:
    """The exit code; `None` if it was killed because it took too long."""
    import shutil  # only here: importing it takes as long as starting the workload

    program = shutil.which(argv[0], path=path)
    if program is None:
        return 127
    null = [(os.POSIX_SPAWN_OPEN, number, "/dev/null", os.O_RDWR, 0) for number in (0, 1, 2)]
    pid = os.posix_spawn(
        program, argv, {**os.environ, "PATH": path}, file_actions=null, setsigmask=(), setsigdef=_TO_DEFAULT
    )
    deadline = time.monotonic() + END_TIMEOUT_S
    while time.monotonic() < deadline:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return None
