"""The program that every SSH session on a worker runs in: it sets the environment and goes home.

A script and not sshd's `SetEnv`, because sshd would start commands in the home folder that the password
database knows, which is the real one of the user, and because both SSH servers can share it. A user's own
bash reads it and goes on with the command: a real worker starts one shell for each, too. Others start it.
"""

from __future__ import annotations

import os
import pwd
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd_emulator.files import write_private

if TYPE_CHECKING:
    from tpuherd_emulator.workers.plan import WorkerPlan


def write(plan: WorkerPlan) -> None:
    """Write the script, and the files that an interactive login shell reads."""
    write_private(plan.login, script(plan.environment), 0o700)
    # A login shell runs /etc/profile, which sets PATH anew.
    write_private(plan.home / ".profile", f"export PATH={shlex.quote(plan.environment['PATH'])}\n", 0o644)


def forced_command(plan: WorkerPlan) -> str:
    """What sshd has the user's shell do for every session."""
    reads = Path(pwd.getpwuid(os.getuid()).pw_shell).name == "bash"
    return f'{". " if reads else ""}"{plan.login}"'


def script(environment: dict[str, str]) -> str:
    """Return the script for a worker's environment."""
    shell = shutil.which("bash") or "/bin/sh"
    exports = [f"export {name}={shlex.quote(value)}" for name, value in sorted(environment.items())]
    lines = [
        "#!/bin/sh",
        *exports,
        f"export SHELL={shlex.quote(shell)}",
        'cd "$HOME" || exit 1',
        'if [ -z "$SSH_ORIGINAL_COMMAND" ]; then exec "$SHELL"; fi',
        'case $0 in */login) ;; *) eval "unset SSH_ORIGINAL_COMMAND\n$SSH_ORIGINAL_COMMAND"; exit ;; esac',
        "command=$SSH_ORIGINAL_COMMAND; unset SSH_ORIGINAL_COMMAND",
        'exec "$SHELL" -c "$command"',
    ]
    return "\n".join(lines) + "\n"
