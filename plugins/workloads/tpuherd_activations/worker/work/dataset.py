"""A dataset that is being made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import PlaceError
from ..input.plan import Plan, cut, read
from ..output import layout
from ..places import open_place
from .content import Content, identified

if TYPE_CHECKING:
    from pathlib import Path

    from ..places import Place

TEXT_BYTES_PER_TOKEN = 4
"""To cut the input into parts before it is tokens; English has 4 to 4.5 with the usual vocabularies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A dataset that is being made.

    Attributes:
        content: What it is made of.
        digest: Name of its folder.
        source: Where the documents are.
        place: Its own folder.
        plan: Its parts.
    """

    content: Content
    digest: str
    source: Place
    place: Place
    plan: Plan


def prepare(content: Content, source: str, output: str, scratch: Path) -> Dataset:
    """Find or make the dataset's folder and plan; several workers may do so at once.

    Args:
        content: What it is made of.
        source: Address of the documents.
        output: Address under which its folder is.
        scratch: A folder of this machine.

    Raises:
        InputError: there are no documents.
        PlaceError: the folder holds something else.
    """
    given = open_place(source)
    found = identified(content, given)
    place = open_place(f"{output.rstrip('/')}/{found.digest}", scratch)
    _agree(place, found.config)
    return Dataset(
        content=content,
        digest=found.digest,
        source=given,
        place=place,
        plan=_plan(place, given, found.names, content, scratch),
    )


def _agree(place: Place, config: bytes) -> None:
    if not place.create(layout.CONFIG, config) and place.find(layout.CONFIG) != config:
        raise PlaceError(f"{place.address}/{layout.CONFIG}: it is of another dataset; choose another folder")


def _plan(place: Place, source: Place, names: list[str], content: Content, scratch: Path) -> Plan:
    found = place.find(layout.PLAN)
    if found is None:
        made = cut(source, names, content.rows_per_shard * TEXT_BYTES_PER_TOKEN, scratch / "input")
        place.create(layout.PLAN, made.to_bytes())
        found = place.find(layout.PLAN) or made.to_bytes()
    return read(found)
