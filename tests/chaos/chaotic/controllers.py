"""The controllers of one job: real `tpuherd` processes, started, killed, frozen and counted."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import signal

    from chaotic.site import Site

TPUHERD = Path(sys.executable).parent / "tpuherd"


@dataclass(slots=True, kw_only=True)
class Controller:
    """One process."""

    words: tuple[str, ...]
    process: subprocess.Popen[bytes]
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
        """Run `tpuherd WORDS` in the background.

        Without a `preexec_fn`: it would run Python in a fork of this process, and gRPC does not survive that.
        """
        log = self._site.logs / f"{self._name}-{len(self.all) + 1}.log"
        with log.open("wb") as file:
            process = subprocess.Popen(
                [str(TPUHERD), *words],
                env=self._site.variables,
                cwd=self._site.root,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                start_new_session=True,
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
        return subprocess.run(
            [str(TPUHERD), *words],
            env=self._site.variables,
            cwd=self._site.root,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=120,
        )
