"""Names of TPUs from a template: `{user}-{job}`, `tpu-{region}-{zone_letter}-{index}`."""

from __future__ import annotations

import re
from string import Formatter
from typing import TYPE_CHECKING

from tpuherd.config.choices import nearest

if TYPE_CHECKING:
    from tpuherd.cloud.placement import Placement

LONGEST = 53
"""Characters of a name: the API wants at most 63, and ten are left for what a provider puts behind it."""

_ROOM = {"user": 1, "job": 5, "region": 23, "zone": 25, "zone_letter": 4, "accelerator": 15, "index": 4}
"""What a template may refer to, and how many characters that needs at worst."""

FIELDS = tuple(_ROOM)

_FLEXIBLE = ("job", "user")
"""What is shortened if a name would be too long, in this order; its end stays, where a job's id is random."""


def check_template(template: str) -> None:
    """Check that every name made of a template is one that the API accepts.

    Raises:
        ValueError: it is not; the message says why, and what to write.
    """
    pieces = _pieces(template)
    if not pieces:
        raise ValueError("a name cannot be empty; the default is {user}-{job}")
    for _, field in pieces:
        if field is not None and field not in FIELDS:
            raise ValueError(f"{{{field}}} is unknown in a name; {nearest(field, FIELDS)}")
    _check_letters(template, pieces)
    _check_length(template, pieces)


def _check_length(template: str, pieces: list[tuple[str, str | None]]) -> None:
    literal = "".join(text for text, _ in pieces)
    if len(literal) > LONGEST - 10:
        raise ValueError(f"{template!r} is too long: {LONGEST - 10} characters at most, without its fields")
    if has_index(template) and len(literal) + sum(_ROOM[field] for _, field in pieces if field) > LONGEST:
        raise ValueError(f"{template!r} is too long: its {{index}} would be cut off; leave something out")


def name_from(
    template: str,
    user: str,
    job: str,
    placement: Placement,
    index: int | None = None,
    *,
    longest: int = LONGEST,
) -> str:
    """Return the name of a TPU, in letters that the API allows; a long one keeps its end.

    Args:
        template: one that `check_template` accepts.
        user: the owner.
        job: the job's id.
        placement: zone and accelerator.
        index: the number for `{index}`.
        longest: how many characters it may have.

    Raises:
        ValueError: the template has `{index}`, and there is no index.
    """
    if index is None and has_index(template):
        raise ValueError(f"{template!r} needs an index")
    return _fill(template, _values(user, job, placement) | {"index": str(index)}, longest)


def has_index(template: str) -> bool:
    """True if names of a template are numbered through."""
    return any(field == "index" for _, field in _pieces(template))


def shown_name(template: str, user: str, job: str, placement: Placement) -> str:
    """Return the name as far as it is known before there is a job: `…` stands for the rest."""
    return _fill(template, _values(user, job, placement) | {"job": f"{_plain(job)}-…", "index": "…"}, LONGEST)


def _pieces(template: str) -> list[tuple[str, str | None]]:
    try:
        parsed = list(Formatter().parse(template))
    except ValueError as error:
        raise ValueError(f"{template!r} is no template: {error}") from error
    for _, field, form, conversion in parsed:
        if form or conversion:
            raise ValueError(f"{{{field}}} takes no format in a name: write {{{field}}} alone")
    return [(text, field) for text, field, _, _ in parsed]


def _check_letters(template: str, pieces: list[tuple[str, str | None]]) -> None:
    """What people write is not changed for them: they would look for a TPU of that name."""
    first = pieces[0][0][:1]
    literal = "".join(text for text, _ in pieces)
    starts = not first or (first.isascii() and first.isalpha())
    ends = pieces[-1][1] is not None or not pieces[-1][0].endswith("-")
    if re.fullmatch(r"[a-z0-9-]*", literal) and starts and ends:
        return
    tidy = "".join(_tidied(text) + ("" if field is None else f"{{{field}}}") for text, field in pieces)
    tidy = tidy.strip("-")
    proposal = tidy if tidy[:1].isalpha() or tidy[:1] == "{" else f"t-{tidy}"
    raise ValueError(
        f"{template!r} is no name for a TPU: lower-case letters, digits and hyphens, a letter first and no "
        f"hyphen last; write for example {proposal}"
    )


def _tidied(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower())


def _values(user: str, job: str, placement: Placement) -> dict[str, str]:
    return {
        "user": _plain(user),
        "job": _plain(job),
        "region": placement.region,
        "zone": placement.zone,
        "zone_letter": placement.zone_letter,
        "accelerator": placement.accelerator,
    }


def _plain(text: str) -> str:
    return _tidied(text).strip("-")


def _fill(template: str, values: dict[str, str], longest: int) -> str:
    name = _tidy(template.format_map(values))
    for field in _FLEXIBLE:
        excess = len(name) - longest
        if excess > 0:
            values = values | {field: values[field][min(excess, len(values[field]) - 1) :].lstrip("-")}
            name = _tidy(template.format_map(values))
    return name[:longest].rstrip("-")


def _tidy(name: str) -> str:
    stripped = name.strip("-")
    return stripped if stripped[:1].isalpha() else f"t-{stripped}"
