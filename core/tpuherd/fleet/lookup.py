"""From the words of a user to one TPU: `NAME`, `NAME@ZONE`, or an alias."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.config.choices import nearest
from tpuherd.errors import ConfigError, StateError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.fleet.knowledge import Knowledge
    from tpuherd.fleet.reading import Fleet
    from tpuherd.fleet.tpu import Tpu


def split(word: str, zone: str = "") -> tuple[str, str]:
    """Name and zone of `NAME@ZONE`; the zone may come from `--zone`, and may be empty.

    Raises:
        ConfigError: two zones, or no name.
    """
    name, _, own = word.partition("@")
    if not name:
        raise ConfigError(f"{word!r} names no TPU: write NAME or NAME@ZONE")
    if own and zone and own != zone:
        raise ConfigError(f"{word!r} and --zone={zone} name different zones")
    return name, own or zone


def find(fleet: Fleet, known: Knowledge, word: str, zone: str = "") -> Tpu:
    """The one TPU that a word means: by its name, by an alias, or by the name of its queued resource.

    Raises:
        StateError: none, or several in different zones; unreachable zones are said.
    """
    name, wanted = split(word, zone)
    there = [tpu for tpu in fleet.tpus if wanted in {"", tpu.zone}]
    found = (
        [tpu for tpu in there if tpu.name == name]
        or [tpu for tpu in there if name in known.names_of(tpu)]
        or _first_of_each_zone([tpu for tpu in there if tpu.queued_resource == name])
    )
    if len(found) > 1:
        places = ", ".join(tpu.place for tpu in found)
        raise StateError(f"{name!r} may mean {places}: write NAME@ZONE, or give --zone")
    if not found:
        raise StateError(_none(fleet, known, name, wanted))
    return found[0]


def _first_of_each_zone(tpus: Sequence[Tpu]) -> list[Tpu]:
    """The name of a queued resource means all its nodes; the first stands for them."""
    return list({tpu.zone: tpu for tpu in reversed(tpus)}.values())


def _none(fleet: Fleet, known: Knowledge, name: str, zone: str) -> str:
    names: Sequence[str] = sorted({n for tpu in fleet.tpus for n in (tpu.name, *known.names_of(tpu))})
    where = f"in {zone}" if zone else "in any zone"
    silent = f"; these did not answer: {', '.join(fleet.unreachable)}" if fleet.unreachable else ""
    hint = nearest(name, names) if names else "there are none"
    return f"there is no TPU {name!r} {where}; {hint}{silent}"
