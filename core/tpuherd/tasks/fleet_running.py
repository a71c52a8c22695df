"""What `run`, `create`, `cancel`, `delete` and `monitor` do with the fleet of a job file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from invoke.exceptions import Exit

from tpuherd.errors import ConfigError
from tpuherd.tasks import opening

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tpuherd.config.load import LoadedJob
    from tpuherd.engine.interrupts import OnInterrupt
    from tpuherd.members.view import FleetView
    from tpuherd.members.watch import MemberWatch
    from tpuherd.store.records import JobRecord


def make(loaded: LoadedJob, overrides: Sequence[str], ttl_s: float | None, *, keep: bool) -> list[JobRecord]:
    """Make the members of a file's fleet, or find them, and have them driven.

    Raises:
        StateError: a fleet of that name is live, and was made from another version of the file.
    """
    from tpuherd.members.driving import begin
    from tpuherd.members.making import find_or_create_members

    store = opening.store()
    members = find_or_create_members(
        store, loaded, lambda more: opening.read(loaded.path, more), overrides, keep=keep, ttl_s=ttl_s
    )
    begin(store, members, keep=keep)
    return members


def tell(members: Sequence[JobRecord], *, json: bool) -> None:
    """Say what `create` has made."""
    from tpuherd.output.tables import print_json

    fleet = str(members[0].fleet)
    if json:
        print_json({"fleet": fleet, "members": [record.id for record in members]})
        return
    sys.stdout.write(f"{fleet}\n")
    sys.stderr.write(f"started {len(members)} members; follow with `tpuherd monitor {fleet}`\n")


def follow(members: Sequence[JobRecord], policy: OnInterrupt, *, json: bool) -> None:
    """Show a fleet until it has ended; the exit code is the worst of its members."""
    from tpuherd.members.following import Following, what_came_of, worst
    from tpuherd.members.watch import MemberWatch
    from tpuherd.output.reporter import Reporter
    from tpuherd.output.tables import print_json
    from tpuherd.tasks.loaded import manager

    fleet, reporter = str(members[0].fleet), Reporter(logs=sys.stderr if json else None)
    reporter.note(f"fleet {fleet}: {len(members)} members")
    watch = MemberWatch(opening.store(), manager())
    following = Following(opening.store(), fleet, reporter, policy)
    ended = _shown(watch, following.to_end, reporter.note, live=sys.stdout.isatty() and not json)
    last, code = MemberWatch(opening.store(), manager()).fleet(ended), worst(ended)
    made = what_came_of(opening.store(), ended)
    if json:
        print_json({**last.as_json(), "exit_code": int(code), "summary": made})
    else:
        _print(last)
        sys.stdout.write(f"\n{made}\n" if made else "")
    if code:
        raise Exit(code=code)


def monitor(members: Sequence[JobRecord], interval_s: float, *, once: bool, json: bool) -> None:
    """Show the dashboard of a fleet: once, again and again on a terminal, or as JSON."""
    import json as json_text
    import time

    from tpuherd.members.watch import MemberWatch
    from tpuherd.tasks.loaded import manager

    watch, fleet = MemberWatch(opening.store(), manager()), str(members[0].fleet)

    def records() -> Sequence[JobRecord]:
        return opening.store().jobs.members(fleet)

    while json:
        sys.stdout.write(json_text.dumps(watch.fleet(records()).as_json()) + "\n")
        sys.stdout.flush()
        if once:
            return
        time.sleep(interval_s)
    if once or not (sys.stdin.isatty() and sys.stdout.isatty()):
        _print(watch.fleet(records()))
    else:
        _screen(watch, records, interval_s)


def members_of_one(words: Sequence[str]) -> list[JobRecord]:
    """The members of the fleet that the words are about; none if they are about jobs.

    Raises:
        ConfigError: they name a fleet and something else.
    """
    from tpuherd.members.finding import members_meant

    known = opening.store().jobs.all()
    found = [members_meant(known, word) for word in words]
    if any(found) and len(words) > 1:
        raise ConfigError("name one fleet, or jobs")
    return found[0] if found else []


def _shown(
    watch: MemberWatch,
    to_end: Callable[[Callable[[Sequence[JobRecord]], None]], list[JobRecord]],
    note: Callable[[str], None],
    *,
    live: bool,
) -> list[JobRecord]:
    """On a terminal the table renews itself; elsewhere there is a line for what changes."""
    if not live:
        from tpuherd.members.changes import Changes

        changes = Changes(note)
        return to_end(lambda members: changes.note(watch.fleet(members)))
    from rich.live import Live

    from tpuherd.members.table import drawn

    with Live(auto_refresh=False, transient=True) as screen:
        return to_end(lambda members: screen.update(drawn(watch.fleet(members)), refresh=True))


def _print(fleet: FleetView) -> None:
    from tpuherd.members.table import columns, rows, summary, totals
    from tpuherd.output.tables import print_table

    print_table(columns(fleet), [*rows(fleet), totals(fleet)])
    sys.stdout.write(f"{summary(fleet)}\n")


def _screen(watch: MemberWatch, records: Callable[[], Sequence[JobRecord]], interval_s: float) -> None:
    from contextlib import suppress

    from rich.console import Console

    from tpuherd.members.table import with_fleet
    from tpuherd.monitoring.keyboard import Keyboard
    from tpuherd.monitoring.screen import LiveScreen

    table = with_fleet(lambda: watch.fleet(records()))
    with suppress(KeyboardInterrupt):  # one way to leave it
        LiveScreen(Console(), Keyboard(sys.stdin.fileno()), watch, records, interval_s, table).run()
