"""What a dataset is made of; its hash is the name of its folder."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as field_of
from typing import TYPE_CHECKING, Any

from ..errors import PlaceError
from ..input.plan import Plan, cut, read, streams_in
from ..output import documents, layout
from ..places import open_place

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ..output.hooks import Hook
    from ..places import Place

TEXT_BYTES_PER_TOKEN = 4
"""To cut the input into parts before it is tokens; English has 4 to 4.5 with the usual vocabularies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """All that decides about the bytes of a dataset.

    Attributes:
        model: What computes, for example `fingerprint` of a checkpoint and the kind of numbers.
        hooks: Which activations.
        form: What makes documents of the records.
        form_source: Stands for the code of a form that is not built in.
        form_options: Of such a form.
        field: Of the records.
        max_length: Longest document in tokens.
        special_tokens: `keep` or `drop` their rows.
        rows_per_shard: About how many.
        batch_tokens: Of a batch; rounding depends on it.
    """

    model: str
    hooks: tuple[Hook, ...]
    form: str = "text"
    form_source: str = ""
    form_options: Mapping[str, Any] = field_of(default_factory=dict)
    field: str = "text"
    max_length: int = 2048
    special_tokens: str = "keep"
    rows_per_shard: int = 65_536
    batch_tokens: int = 8192


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
    names = streams_in(given)
    config = documents.to_bytes(_config(content, given, names))
    digest = documents.digest(documents.from_bytes(config, layout.CONFIG))
    place = open_place(f"{output.rstrip('/')}/{digest}", scratch)
    _agree(place, config)
    return Dataset(
        content=content,
        digest=digest,
        source=given,
        place=place,
        plan=_plan(place, given, names, content, scratch),
    )


def _config(content: Content, source: Place, names: Sequence[str]) -> dict[str, Any]:
    streams = {name: source.identity(name) for name in names}
    return {
        "format": layout.FORMAT,
        "model": content.model,
        "hooks": {hook.name: {"kind": hook.kind, "shape": list(hook.shape)} for hook in content.hooks},
        "documents": _documents(content),
        "special_tokens": content.special_tokens,
        "rows_per_shard": content.rows_per_shard,
        "batch_tokens": content.batch_tokens,
        "streams": {
            name: {"size_bytes": found.size_bytes, "crc32c": found.crc32c} for name, found in streams.items()
        },
    }


def _documents(content: Content) -> dict[str, Any]:
    found = {"form": content.form, "field": content.field, "max_length": content.max_length}
    if not content.form_source:
        return found
    return found | {"form_source": content.form_source, "form_options": dict(content.form_options)}


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
