"""What the `tpus` commands have in common: their options, the fleet as it is now, questions."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

from tpuherd.errors import Cancelled, ConfigError
from tpuherd.tasks.clouds import CLOUD_HELP, visit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.fleet.knowledge import Knowledge
    from tpuherd.fleet.reading import Fleet
    from tpuherd.fleet.tpu import Tpu
    from tpuherd.model.cloud import Cloud

HELP = {
    **CLOUD_HELP,
    "pattern": "Which: a type (v4, v4+, v34, v5e-8, v4-32+, v*) or a name (ada-*); several: any of them.",
    "name": "A TPU: NAME, NAME@ZONE, or an alias.",
    "zone": "Zone; default: all zones.",
    "json": "Print JSON.",
    "yes": "Do it without asking.",
    "force": "Also if a job uses it or somebody has reserved it; with --yes also if it is not yours.",
    "wait": "Return at once.",
    "timeout_s": "Longest wait for the cloud, in seconds; it goes on after that.",
}


def helps(*names: str, **others: str) -> dict[str, str]:
    """Help for these options, and for others that only one command has."""
    return {name: HELP[name] for name in names} | others


class View(NamedTuple):
    """The fleet as it was read for one command."""

    cloud: Cloud
    fleet: Fleet
    known: Knowledge


def look(cloud: str, project: str, zones: Sequence[str] = ()) -> View:
    """Read the fleet, and what the store knows about it; places that did not answer are said."""
    from tpuherd.fleet.knowledge import know
    from tpuherd.fleet.reading import read_fleet
    from tpuherd.tasks.opening import store

    visited = visit(cloud, project)
    fleet = read_fleet(visited, zones)
    warn(fleet)
    return View(visited, fleet, know(store(), fleet.tpus))


def warn(fleet: Fleet) -> None:
    """Say which places did not answer: what they hold is unknown."""
    if fleet.unreachable:
        sys.stderr.write(f"tpuherd: no answer from {', '.join(fleet.unreachable)}: unknown what is there\n")


def chosen(view: View, names: Sequence[str], zone: str) -> list[Tpu]:
    """The TPUs that a user named, each once.

    Raises:
        ConfigError: none was named.
        StateError: a name means none, or several.
    """
    from tpuherd.fleet.lookup import find

    if not names:
        raise ConfigError("which TPU? Give its name; `tpuherd tpus` shows all")
    found = [find(view.fleet, view.known, name, zone) for name in names]
    return list({tpu.place: tpu for tpu in found}.values())


def zones_of(names: Sequence[str], zone: str) -> tuple[str, ...]:
    """The zones to read if every name says its own; else all have to be read: an alias may be anywhere."""
    own = {name.partition("@")[2] or zone for name in names}
    return tuple(sorted(own)) if own and "" not in own else ()


def confirm(question: str, *, yes: bool) -> None:
    """Ask, unless the user has said yes already.

    Raises:
        ConfigError: there is nobody to ask.
        Cancelled: the answer was not yes.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise ConfigError(f"{question}\nNothing was done: add --yes")
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        raise Cancelled("nothing was done")
