"""What a job file need not write, because another key of it says the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tpuherd.config.overrides import OVERRIDE

if TYPE_CHECKING:
    from pathlib import Path

    from tpuherd.config.document import Document
    from tpuherd.config.problems import KeyPath

SECTION = "tpu"
LISTS = {"zone": "zones", "accelerator": "accelerators"}
"""Keys for one thing, and for several of which any one will do; the one is the first of the several."""


def complete(document: Document, path: Path) -> None:
    """Fill in keys that follow from others, before references to them are replaced.

    What was filled in is in `document.filled`: only what people wrote is reported as wrong.

    Args:
        document: the job file; its values are changed.
        path: the file; the job is named after it by default.
    """
    _name_after_file(document.data, path)
    section = document.data.get(SECTION)
    if not isinstance(section, dict):
        return
    for one, several in LISTS.items():
        _let_override_win(document, section, one, several)
        _fill_in(document, section, one, several)
    if section.get("reservation") is not None and "reserved" not in section:
        _fill(document, section, "reserved", True)


def _name_after_file(data: dict[str, Any], path: Path) -> None:
    """Fill in `job.name`, so that `${job.name}` works too."""
    if data.get("job") is None:
        data["job"] = {}
    if isinstance(data["job"], dict) and data["job"].get("name") is None:
        data["job"]["name"] = re.sub(r"[^A-Za-z0-9._-]+", "-", path.stem).lstrip("-._") or "job"


def _let_override_win(document: Document, section: dict[str, Any], one: str, several: str) -> None:
    """`--override tpu.zone=…` replaces the file's `zones`, and the other way round."""
    if one not in section or several not in section:
        return
    overridden = [key for key in (one, several) if document.origins.get((SECTION, key)) is OVERRIDE]
    if len(overridden) == 1:
        loser = several if overridden == [one] else one
        del section[loser]
        _forget(document, (SECTION, loser))


def _fill_in(document: Document, section: dict[str, Any], one: str, several: str) -> None:
    given = section.get(several)
    if one not in section and isinstance(given, list) and given:
        _fill(document, section, one, given[0])
    elif several not in section and one in section:
        _fill(document, section, several, [section[one]])


def _fill(document: Document, section: dict[str, Any], key: str, value: Any) -> None:
    section[key] = value
    document.filled.add((SECTION, key))


def _forget(document: Document, path: KeyPath) -> None:
    for known in [known for known in document.origins if known[: len(path)] == path]:
        del document.origins[known]
