"""The step from the keeper to the workload: fork and exec."""

from __future__ import annotations

import os
import signal

from tpuherd_agent.attempt import home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from tpuherd_agent.attempt import Attempt
    from tpuherd_agent.spec import Spec

_TO_DEFAULT = ("SIGPIPE", "SIGXFSZ", "SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGCHLD")
"""What Python, the keeper or a nohup may have switched off: the workload starts like from a shell."""


def launch(attempt: Attempt, spec: Spec) -> int:
    """Starts the workload in its own session and returns its pid; its output goes straight to the log file.

    The child keeps the agent's locks until it is the workload: they are closed by exec, not before.
    """
    log = os.open(attempt.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    pid = os.fork()
    if pid == 0:
        try:
            _become(attempt, spec, log)
        except OSError as error:
            os.write(2, f"tpuherd agent: cannot start {_names(error, attempt, spec)}\n".encode())
            os._exit(127 if isinstance(error, FileNotFoundError) else 126)
        finally:
            os._exit(125)
    os.close(log)
    return pid


def _become(attempt: Attempt, spec: Spec, log: int) -> NoReturn:
    os.setsid()
    os.dup2(log, 1)
    os.dup2(log, 2)
    for name in _TO_DEFAULT:
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.chdir(spec.working_directory(home()))
    argv = spec.command(attempt)
    os.execvpe(argv[0], argv, spec.variables(attempt, home()))  # noqa: S606


def _names(error: OSError, attempt: Attempt, spec: Spec) -> str:
    return f"{spec.command(attempt)[0]!r} in {spec.working_directory(home())}: {error.strerror}"
