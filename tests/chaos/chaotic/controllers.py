"""The controllers of one job: real `tpuherd` processes, started, killed, frozen and counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import commands

if TYPE_CHECKING:
    import signal
    import subprocess
    from pathlib import Path

    from chaotic.site import Site


@dataclass(slots=True, kw_only=True)
class Controller:
    """One process."""

    words: tuple[str, ...]
    process: commands.Command
    log: Path
    killed: bool = False

    @property
    def alive(self) -> bool:
        """True while it runs or stands still."""
        return self.process.poll() is None

    @property
    def drives(self) -> bool:
        """True if it works on the job; `create` only makes it."""
        return self.words[0] != "create"

    @property
    def has_left(self) -> bool:
        """True if it drove the job, and went away by itself."""
        return self.drives and not self.alive and not self.killed

    @property
    def output(self) -> str:
        """What it has printed."""
        return self.log.read_text(errors="replace")


class Controllers:
    """All processes that were started for a job, oldest first."""

    def __init__(self, site: Site, name: str) -> None:
        """Keep where, and a name for the logs."""
        self._site = site
        self._name = name
        self.all: list[Controller] = []

    @property
    def alive(self) -> list[Controller]:
        """Those that run or stand still."""
        return [one for one in self.all if one.alive]

    def start(self, *words: str) -> Controller:
        """Run `tpuherd WORDS` in the background."""
        log = self._site.logs / f"{self._name}-{len(self.all) + 1}.log"
        with log.open("wb") as file:
            process = commands.start(
                words, env=self._site.variables, cwd=self._site.root, log=file.fileno(), session=True
            )
        self.all.append(Controller(words=words, process=process, log=log))
        return self.all[-1]

    def kill(self) -> None:
        """`kill -9` all of them."""
        for one in self.alive:
            one.killed = True
            one.process.kill()
            one.process.wait()

    def signal(self, number: signal.Signals) -> list[Controller]:
        """Send a signal to all; returns whom."""
        found = self.alive
        for one in found:
            one.process.send_signal(number)
        return found

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run `tpuherd WORDS` to its end."""
        return commands.run(words, env=self._site.variables, cwd=self._site.root, timeout_s=120)
