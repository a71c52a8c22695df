"""`tpuherd tpus --watch`: the same again and again, through API errors, until Ctrl-C."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from tpuherd.errors import ConfigError, ProvisionError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import RenderableType

    from tpuherd.fleet.choosing import Choice
    from tpuherd.fleet.knowledge import Knowledge
    from tpuherd.fleet.reading import Fleet
    from tpuherd.model.cloud import Cloud

LEAST_S = 0.1
RETRY_S = 1.0
"""How long one look goes on asking an API that does not answer: the next look follows soon."""


class Watch:
    """The newest answer, how old it is, and what came in its place."""

    def __init__(self, cloud: Cloud, zones: Sequence[str], choice: Choice) -> None:
        """Keep what to look at."""
        self._cloud = cloud
        self._zones = zones
        self._choice = choice
        self._last: tuple[Fleet, Knowledge] | None = None
        self.problem = ""
        """Why the newest look failed; empty if it did not."""

    def look(self) -> None:
        """Read the fleet; an error of the API is kept, and so is what was read before."""
        from tpuherd.fleet.knowledge import know
        from tpuherd.fleet.reading import read_fleet
        from tpuherd.tasks.opening import store

        try:
            fleet = read_fleet(self._cloud, self._zones, read_retry_s=RETRY_S)
            self._last, self.problem = (fleet, know(store(), fleet.tpus)), ""
        except ProvisionError as error:
            self.problem = str(error).partition("\n")[0]

    @property
    def document(self) -> dict[str, object]:
        """For scripts."""
        from tpuherd.fleet.showing import document

        if self._last is None:
            return {"error": self.problem}
        fleet, known = self._last
        found = [tpu for tpu in fleet.tpus if self._choice.fits(tpu, known)]
        return document(fleet, known, found) | {"error": self.problem}

    def shown(self) -> RenderableType:
        """The table with its sums, and what is wrong with it."""
        from rich.console import Group
        from rich.text import Text

        from tpuherd.fleet.showing import COLUMNS, cells, totals_line
        from tpuherd.output.tables import duration, make_table

        if self._last is None:
            return Text(f"no answer yet: {self.problem}")
        (fleet, known), now = self._last, time.time()
        found = [tpu for tpu in fleet.tpus if self._choice.fits(tpu, known)]
        lines = [totals_line(found), f"as of {time.strftime('%H:%M:%S', time.localtime(fleet.read_at))}"]
        if self.problem:
            lines.append(f"{duration(now - fleet.read_at)} old, because {self.problem}")
        if fleet.unreachable:
            lines.append(f"no answer from {', '.join(fleet.unreachable)}: unknown what is there")
        return Group(make_table(COLUMNS, [cells(tpu, known, now) for tpu in found]), Text("\n".join(lines)))


def watch(
    choice: Choice, zones: Sequence[str], cloud: str, project: str, *, every_s: float, json: bool
) -> None:
    """Look and show until Ctrl-C: in place on a terminal, else one after the other.

    Raises:
        ConfigError: the pause is too short.
        ProvisionError: there is no such cloud to begin with.
    """
    from tpuherd.tasks.clouds import visit

    if every_s < LEAST_S:
        raise ConfigError(f"--every={every_s:g}: at least {LEAST_S:g} seconds")
    watched = Watch(visit(cloud, project), zones, choice)
    show = _print_json if json else _in_place if sys.stdout.isatty() else _append
    try:
        show(watched, lambda: time.sleep(every_s))
    except KeyboardInterrupt:
        return  # that is how it is ended


def _print_json(watched: Watch, pause: Callable[[], None]) -> None:
    import json

    while True:
        watched.look()
        sys.stdout.write(json.dumps(watched.document, default=str) + "\n")
        sys.stdout.flush()
        pause()


def _append(watched: Watch, pause: Callable[[], None]) -> None:
    from rich.console import Console

    console = Console(width=160)
    while True:
        watched.look()
        console.print(watched.shown())
        sys.stdout.flush()
        pause()


def _in_place(watched: Watch, pause: Callable[[], None]) -> None:
    from rich.console import Console
    from rich.live import Live

    watched.look()
    with Live(watched.shown(), console=Console(), auto_refresh=False) as live:
        while True:
            live.update(watched.shown(), refresh=True)
            pause()
            watched.look()
