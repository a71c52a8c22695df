"""What a dataset is made of; its hash is the name of its folder."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as field_of
from typing import TYPE_CHECKING, Any

from ..input.files import streams_in
from ..output import documents, layout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..output.hooks import Hook
    from ..places import Place


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
class Identified:
    """Which dataset it is.

    Attributes:
        config: What its `config.json` says.
        digest: Stands for that; name of its folder.
        names: Files of documents.
    """

    config: bytes
    digest: str
    names: list[str]


def identified(content: Content, source: Place) -> Identified:
    """Say which dataset it is; raises `InputError` if there are no documents."""
    names = streams_in(source)
    config = documents.to_bytes(_config(content, source, names))
    digest = documents.digest(documents.from_bytes(config, layout.CONFIG))
    return Identified(config=config, digest=digest, names=names)


def _config(content: Content, source: Place, names: Sequence[str]) -> dict[str, Any]:
    streams = source.identities(names)
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
