"""Many seeds, several at a time, each site with one after the other."""

from __future__ import annotations

import itertools
import os
import queue
import resource
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chaotic.planning import plan_of
from chaotic.playing import Play
from chaotic.site import Site
from chaotic.verdict import violations

if TYPE_CHECKING:
    from concurrent.futures import Future
    from pathlib import Path

    from chaotic.playing import Played


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What came of one seed."""

    played: Played
    broken: tuple[str, ...]
    """The promises that were broken; empty: none."""
    folder: Path
    """The site on which it was played; it stays as it was if something was broken."""

    def __str__(self) -> str:
        """For people: the plan, and if something was broken, what, and where to look."""
        row = self.played.row
        seconds, attempts = f"{self.played.took_s:.1f} s", row.attempt if row else 0
        how = f"{row.state if row else 'no job'} after {attempts} attempts and {seconds}"
        lines = [str(self.played.plan), how, *(f"BROKEN: {text}" for text in self.broken)]
        if self.broken:
            lines += [
                f"{len(self.played.done)} deeds were done; look in {self.folder}",
                *map(str, self.played.notes),
            ]
        return "\n  ".join(lines)


class Rounds:
    """Plays seeds on up to `at_a_time` sites below a folder; `close` ends the sites."""

    def __init__(self, folder: Path, at_a_time: int) -> None:
        """Start nothing yet."""
        self._folder = folder
        self._numbers = itertools.count(1)
        self._free: queue.SimpleQueue[Site] = queue.SimpleQueue()
        self._all: list[Site] = []
        self._pool = ThreadPoolExecutor(at_a_time, thread_name_prefix="chaos")
        self.cpu_s = 0.0
        """What the clouds that have ended took, with all that ran on them."""

    def ask(self, seed: int) -> Future[Told]:
        """Play a seed as soon as there is room."""
        return self._pool.submit(self._play, seed)

    def close(self) -> None:
        """End what runs."""
        self._pool.shutdown(cancel_futures=True)
        for site in self._all:
            self._end(site)

    def _play(self, seed: int) -> Told:
        site = self._site()
        played = Play(site, plan_of(seed)).run()
        site.quiet()
        broken = tuple(violations(site, played))
        if not broken:
            self._free.put(site)
        return Told(played=played, broken=broken, folder=site.root)

    def _site(self) -> Site:
        """One that nobody uses, else a new one: where something was broken, nothing else is played."""
        try:
            return self._free.get_nowait()
        except queue.Empty:
            folder = self._folder / f"site-{next(self._numbers)}"
            folder.mkdir()
            self._all.append(Site(folder))
            return self._all[-1]

    def _end(self, site: Site) -> None:
        self.cpu_s += cpu_s(site.info.pid)
        site.close()


def cpu_s(pid: int) -> float:
    """The CPU time of a process and of its children that have ended, in seconds."""
    try:
        with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123
            fields = file.read().rpartition(")")[2].split()
    except FileNotFoundError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def cpu_of_children_s() -> float:
    """The CPU time of the children of this process that have ended, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
