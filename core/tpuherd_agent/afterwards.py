"""Work that nobody waits for: a script that runs in a process of its own."""

from __future__ import annotations

import os
import time
from contextlib import suppress

AFTER_S = 2.0
"""What a call has prepared, a workload say, starts in this time; then the processors are less busy."""


def run_script(script: str) -> None:
    """Lets a shell run a script in the background: nobody's child, in a session of its own, without streams.

    Where the system has no room for a process, it is left out: nothing that was asked for depends on it.
    """
    null = [(os.POSIX_SPAWN_OPEN, number, "/dev/null", os.O_RDWR, 0) for number in (0, 1, 2)]
    argv = ["sh", "-c", f"({script}) &"]
    with suppress(OSError):  # not a fork: that would copy the tables of this process's memory
        os.waitpid(os.posix_spawn("/bin/sh", argv, os.environ, file_actions=null, setsid=True), 0)


class Afterwards:
    """At most one script that is to run a while after the last call that wanted it."""

    def __init__(self) -> None:
        self._script = ""
        self._at = 0.0

    def want(self, script: str) -> None:
        """Puts a script in the place of the one that waits."""
        self._script, self._at = script, time.monotonic() + AFTER_S

    @property
    def left_ms(self) -> int | None:
        """How long until it is time; `None`: there is nothing to do."""
        return max(0, round((self._at - time.monotonic()) * 1e3)) if self._script else None

    def run_due(self) -> None:
        """Runs it if it is time."""
        if self.left_ms == 0:
            self.run()

    def run(self) -> None:
        """Runs it now, if there is one."""
        script, self._script = self._script, ""
        if script:
            run_script(script)
