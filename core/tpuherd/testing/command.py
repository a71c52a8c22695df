"""Running the `tpuherd` command as a user would."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandResult:
    """What one command left behind."""

    exit_code: int
    """See `tpuherd.ExitCode`."""
    stdout: str
    """The workers' log lines and results; only JSON with `--json`."""
    stderr: str
    """Progress and errors."""


class CommandRunner:
    """Runs `tpuherd` with the interpreter, the environment and the folder of the test."""

    def __init__(self, home: Path) -> None:
        """Keep the private home of the test."""
        self.home = home

    def __call__(self, *words: str | Path, timeout_s: float = 180.0) -> CommandResult:
        """Run one command to its end.

        Args:
            words: the command line after `tpuherd`.
            timeout_s: the command is killed after this many seconds.

        Returns:
            Its exit code and what it printed.

        Raises:
            subprocess.TimeoutExpired: it took longer than `timeout_s`.
        """
        # -P: like the installed command, it must not import what lies in the current folder.
        done = subprocess.run(
            [sys.executable, "-P", "-m", "tpuherd", *map(str, words)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout_s,
        )
        return CommandResult(exit_code=done.returncode, stdout=done.stdout, stderr=done.stderr)
