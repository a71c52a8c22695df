"""Tasks for people who share machines: tpus.reserve, tpus.alias and their like."""

from __future__ import annotations

import getpass
import time
from dataclasses import asdict
from typing import TYPE_CHECKING

from tpuherd.tasks import opening
from tpuherd.tasks.command import command

if TYPE_CHECKING:
    from collections.abc import Iterable

    from invoke.context import Context

    from tpuherd.store.aliases import Alias
    from tpuherd.store.reservations import Reservation
    from tpuherd.tasks.collection import TaskCollection

NAME = "A machine: NAME, NAME@ZONE, or an alias."
JSON = "Print JSON."


@command(
    positional=["name"],
    help={
        "name": NAME,
        "for_": "How long, for example 90s, 30m, 2h or 7d.",
        "note": "What for; shown to the others.",
        "force": "Take it over from somebody else.",
        "json": JSON,
    },
)
def reserve(
    _context: Context, name: str, for_: str = "30m", note: str = "", force: bool = False, json: bool = False
) -> None:
    """Keep a machine for yourself for some time: jobs and deletions by others are refused until then.

    Again for a machine of your own it sets the time anew. It is known to all who share this store.
    """
    from tpuherd.durations import parse_duration
    from tpuherd.store.aliases import resolve_alias
    from tpuherd.store.reservations import Reservation

    now, lasts_s = time.time(), parse_duration(for_, "--for")
    store = opening.store()
    machine = resolve_alias(store, name)
    new = Reservation(
        resource=str(machine), owner=getpass.getuser(), reason=note, until=now + lasts_s, created_at=now
    )
    store.reservations.make(new, machine, force=force)
    _show_reservations([new], json=json)


@command(
    positional=["name"],
    help={"name": NAME, "force": "Also if somebody else has reserved it.", "json": JSON},
)
def unreserve(_context: Context, name: str, force: bool = False, json: bool = False) -> None:
    """Give a reservation back before its time is over."""
    from tpuherd.store.aliases import resolve_alias

    store = opening.store()
    machine = resolve_alias(store, name)
    _show_reservations(store.reservations.drop(machine, getpass.getuser(), force=force), json=json)


@command(help={"mine": "Only your own.", "json": JSON})
def reservations(_context: Context, mine: bool = False, json: bool = False) -> None:
    """Show who has reserved which machine, and for how much longer."""
    found = opening.store().reservations.all()
    _show_reservations([one for one in found if not mine or one.owner == getpass.getuser()], json=json)


@command(
    positional=["alias", "name"],
    help={
        "alias": "The short name.",
        "name": "The machine that it stands for: NAME, or NAME@ZONE.",
        "force": "Also if it is somebody else's alias.",
        "json": JSON,
    },
)
def alias(_context: Context, alias: str, name: str, force: bool = False, json: bool = False) -> None:
    """Let a short name stand for a machine, wherever a name is asked for."""
    from tpuherd.store.aliases import Alias, parse_name

    machine = parse_name(name)
    new = Alias(alias=alias, resource=machine.name, zone=machine.zone, owner=getpass.getuser())
    opening.store().aliases.make(new, force=force)
    _show_aliases([new], json=json)


@command(
    positional=["alias"],
    help={"alias": "The short name.", "force": "Also if it is somebody else's.", "json": JSON},
)
def unalias(_context: Context, alias: str, force: bool = False, json: bool = False) -> None:
    """Forget a short name; the machine stays."""
    _show_aliases([opening.store().aliases.drop(alias, getpass.getuser(), force=force)], json=json)


@command(help={"json": JSON})
def aliases(_context: Context, json: bool = False) -> None:
    """Show all short names and what they stand for."""
    _show_aliases(opening.store().aliases.all(), json=json)


def add_to(namespace: TaskCollection) -> None:
    """Add all tasks of this module to the collection `tpus`."""
    for task in (reserve, unreserve, reservations, alias, unalias, aliases):
        namespace.add(task, collection="tpus")


def _show_reservations(rows: Iterable[Reservation], *, json: bool) -> None:
    from tpuherd.output.tables import ago, duration, print_json, print_table

    if json:
        print_json([asdict(one) for one in rows])
        return
    now = time.time()
    cells = [(r.resource, r.owner, duration(r.until - now), ago(r.created_at), r.reason) for r in rows]
    print_table(("machine", "reserved by", "for another", "since", "note"), cells)


def _show_aliases(rows: Iterable[Alias], *, json: bool) -> None:
    from tpuherd.output.tables import print_json, print_table

    if json:
        print_json([asdict(one) for one in rows])
        return
    print_table(("alias", "machine", "made by"), [(one.alias, str(one.machine), one.owner) for one in rows])
