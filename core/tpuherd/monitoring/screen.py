"""The live screen: a table that renews itself, and keys that do something about the selected job."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd.errors import TpuherdError
from tpuherd.monitoring.state import Screen
from tpuherd.monitoring.table import live_table
from tpuherd.output import log_lines
from tpuherd.output.log_files import show_logs
from tpuherd.output.reporter import Reporter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import Console, RenderableType

    from tpuherd.monitoring.keyboard import Keyboard
    from tpuherd.monitoring.view import JobView
    from tpuherd.monitoring.watch import Watch
    from tpuherd.store.records import JobRecord

AROUND_ROWS = 7
"""Lines of the screen that are no jobs."""
KEY_S = 0.2
"""How long a key is waited for before the clock is looked at."""


class LiveScreen:
    """Runs until its user has enough."""

    def __init__(
        self,
        console: Console,
        keyboard: Keyboard,
        watch: Watch,
        records: Callable[[], Sequence[JobRecord]],
        interval_s: float,
        table: Callable[[Sequence[JobView], str, int], RenderableType] = live_table,
    ) -> None:
        """Keep the parts.

        Args:
            console: the terminal.
            keyboard: its keys.
            watch: looks at jobs.
            records: which jobs, asked before every refresh.
            interval_s: the time between two of them.
            table: draws the visible jobs; gets the selected one, and the width of the terminal.
        """
        self._console = console
        self._keyboard = keyboard
        self._watch = watch
        self._records = records
        self._interval_s = interval_s
        self._table = table
        self._screen = Screen()
        self._jobs: Sequence[JobRecord] = ()
        self._views: Sequence[JobView] = ()

    def run(self) -> None:
        """Show, and do what is asked for, until the user quits or the terminal is closed."""
        from rich.live import Live

        with self._keyboard:
            while not self._screen.over:
                with Live(console=self._console, screen=True, auto_refresh=False) as live:
                    self._look(lambda: live.update(self._drawn(), refresh=True))
                if self._screen.follow:
                    self._follow()

    def _look(self, draw: Callable[[], None]) -> None:
        """Until the user wants something else on the terminal."""
        renewed_at = float("-inf")
        while not (self._screen.over or self._screen.follow):
            if time.monotonic() - renewed_at >= self._interval_s:
                self._renew()
                renewed_at = time.monotonic()
            draw()
            if self._press():
                renewed_at = float("-inf")

    def _renew(self) -> None:
        """Look at the jobs that fit on the screen; only the order of the others is needed."""
        self._jobs = self._records()
        self._screen.show(self._ids)
        self._views = [self._watch.view(record) for record in self._visible()]

    def _visible(self) -> Sequence[JobRecord]:
        """The part of all jobs that has the selected one in it."""
        room = max(1, self._console.size.height - AROUND_ROWS)
        at = self._ids.index(self._screen.selected) if self._screen.selected else 0
        first = min(max(0, at - room // 2), max(0, len(self._jobs) - room))
        return self._jobs[first : first + room]

    @property
    def _ids(self) -> list[str]:
        return [record.id for record in self._jobs]

    def _press(self) -> bool:
        """Take a key if one comes; true if the rows have to be renewed at once."""
        before = self._screen.selected
        try:
            self._screen.press(self._keyboard.key(KEY_S), self._ids)
        except EOFError:
            self._screen.over = True
        acted = self._screen.due is not None
        if acted:
            self._act()
        return acted or self._screen.selected != before

    def _act(self) -> None:
        action, self._screen.due = self._screen.due, None
        record = next(one for one in self._jobs if one.id == self._screen.selected)
        if action is None:
            return
        try:
            self._screen.message = action.start(record, self._watch.view(record))
        except (TpuherdError, OSError) as error:
            self._screen.message = str(error)

    def _drawn(self) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        hidden = len(self._jobs) - len(self._views)
        more = f", {hidden} more: arrows" if hidden else ""
        head = Text(f"tpuherd: {len(self._jobs)} jobs{more}   {time.strftime('%H:%M:%S')}", style="bold")
        foot = Text(self._screen.footer, style="bold yellow" if self._screen.asking else "dim")
        table = self._table(self._views, self._screen.selected, self._console.size.width)
        return Group(head, table, Text(self._last_line(), no_wrap=True, overflow="ellipsis"), foot)

    def _last_line(self) -> str:
        """Of the selected job, in full width."""
        lines = [view.last_line for view in self._views if view.job == self._screen.selected]
        return lines[0] if lines else ""

    def _follow(self) -> None:
        """Show the log of the selected job as it comes, until a key is pressed or the job has ended."""
        self._screen.follow = False
        record = next(one for one in self._jobs if one.id == self._screen.selected)
        self._console.print(f"log of {record.id}, any key goes back", style="bold", highlight=False)
        directory, reporter = Path(record.directory) / f"attempt-{record.attempt}", Reporter()
        try:
            show_logs(
                directory,
                log_lines.LogView(since=_late(directory)),
                lambda line: log_lines.show_plain(reporter, line),
                lambda: bool(self._keyboard.key(0)),
            )
        except TpuherdError as error:
            self._screen.message = str(error)
        except EOFError:
            self._screen.over = True


def _late(directory: Path) -> float | None:
    """The last minute in which anything was printed begins here: nobody reads a long log from its start."""
    printed = max((path.stat().st_mtime for path in directory.glob("*.log")), default=None)
    return None if printed is None else printed - 60.0
