"""The program that every SSH session on a worker runs in: it sets the environment and goes home.

A script and not sshd's `SetEnv`, because sshd would start commands in the home folder that the password
database knows, which is the real one of the user, and because both SSH servers can share it.
"""

from __future__ import annotations

import shlex
import shutil
from typing import TYPE_CHECKING

from tpuherd_emulator.files import write_private

if TYPE_CHECKING:
    from tpuherd_emulator.workers.plan import WorkerPlan


def write(plan: WorkerPlan) -> None:
    """Write the script, and the files that an interactive login shell reads."""
    write_private(plan.login, script(plan.environment), 0o700)
    # A login shell runs /etc/profile, which sets PATH anew.
    write_private(plan.home / ".profile", f"export PATH={shlex.quote(plan.environment['PATH'])}\n", 0o644)


def script(environment: dict[str, str]) -> str:
    """Return the script for a worker's environment."""
    shell = shutil.which("bash") or "/bin/sh"
    exports = [f"export {name}={shlex.quote(value)}" for name, value in sorted(environment.items())]
    lines = [
        "#!/bin/sh",
        *exports,
        f"export SHELL={shlex.quote(shell)}",
        'cd "$HOME" || exit 1',
        'if [ -n "$SSH_ORIGINAL_COMMAND" ]; then',
        "  command=$SSH_ORIGINAL_COMMAND; unset SSH_ORIGINAL_COMMAND",
        '  exec "$SHELL" -c "$command"',
        "fi",
        'exec "$SHELL"',
    ]
    return "\n".join(lines) + "\n"
