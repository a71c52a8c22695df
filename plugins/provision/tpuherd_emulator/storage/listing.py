"""Pages of object listings."""

from __future__ import annotations

import base64
import binascii
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tpuherd_emulator.storage.errors import invalid
from tpuherd_emulator.storage.globs import compile_glob

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from tpuherd_emulator.storage.catalogue import Catalogue
    from tpuherd_emulator.storage.messages import Request
    from tpuherd_emulator.storage.resources import StoredObject

_PAGE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What a listing asks for. `start` and `end` bound the names: start <= name < end."""

    bucket: str
    prefix: str = ""
    delimiter: str = ""
    trailing_delimiter: bool = False
    start: str = ""
    end: str | None = None
    glob: re.Pattern[str] | None = None
    after: str | None = None
    limit: int = _PAGE

    @property
    def first(self) -> str:
        """No name before this one can be on the page."""
        behind = "" if self.after is None else self.after
        return max(self.prefix, self.start, behind)


@dataclass(slots=True)
class Page:
    """One page, and the token of the next one, if there is one."""

    objects: list[StoredObject] = field(default_factory=list)
    prefixes: list[str] = field(default_factory=list)
    next_token: str | None = None


def selection(request: Request) -> Selection:
    """Read a listing's parameters.

    Raises:
        StorageError: 400.
    """
    query = request.query
    glob = query.get("matchGlob")
    return Selection(
        bucket=request.names[0],
        prefix=query.get("prefix", ""),
        delimiter=_delimiter(query.get("delimiter", "")),
        trailing_delimiter=request.flag("includeTrailingDelimiter"),
        start=query.get("startOffset", ""),
        end=query.get("endOffset") or None,
        glob=compile_glob(glob) if glob else None,
        after=_decode(query["pageToken"]) if query.get("pageToken") else None,
        limit=page_size(query.get("maxResults")),
    )


def page_size(text: str | None) -> int:
    """How many results a page may have.

    Raises:
        StorageError: 400, it is no positive number.
    """
    if not text:
        return _PAGE
    if not text.isdecimal() or int(text) == 0:
        raise invalid(f"Invalid value {text!r} for maxResults: it must be a positive number.", "maxResults")
    return min(int(text), _PAGE)


def _delimiter(text: str) -> str:
    if text.endswith(chr(sys.maxunicode)):
        raise invalid("Invalid value for delimiter.", "delimiter")
    return text


def list_page(catalogue: Catalogue, wanted: Selection) -> Page:
    """Collect one page; prefixes count as results, as in the real service.

    Raises:
        StorageError: 404, no such bucket.
    """
    page = Page()
    with catalogue.lock:
        catalogue.bucket(wanted.bucket)
        last = ""
        for entry, stored in _entries(catalogue, wanted):
            if len(page.objects) + len(page.prefixes) >= wanted.limit:
                page.next_token = base64.urlsafe_b64encode(last.encode()).decode()
                break
            if entry != stored.name or _is_group(entry, wanted):
                page.prefixes.append(entry)
            if entry == stored.name and (wanted.trailing_delimiter or not _is_group(entry, wanted)):
                page.objects.append(stored)
            last = entry
    return page


def _entries(catalogue: Catalogue, wanted: Selection) -> Iterator[tuple[str, StoredObject]]:
    stored = catalogue.first_from(wanted.bucket, wanted.first)
    while stored is not None and _in_bounds(stored.name, wanted):
        group = _group(stored.name, wanted)
        entry = group or stored.name
        if (wanted.after is None or entry > wanted.after) and _fits(entry, wanted):
            yield entry, stored
        stored = catalogue.first_from(wanted.bucket, _behind(group) if group else stored.name + "\0")


def _in_bounds(name: str, wanted: Selection) -> bool:
    return name.startswith(wanted.prefix) and (wanted.end is None or name < wanted.end)


def _fits(entry: str, wanted: Selection) -> bool:
    return wanted.glob is None or wanted.glob.fullmatch(entry) is not None


def _group(name: str, wanted: Selection) -> str:
    cut = name.find(wanted.delimiter, len(wanted.prefix)) if wanted.delimiter else -1
    return name[: cut + len(wanted.delimiter)] if cut >= 0 else ""


def _is_group(name: str, wanted: Selection) -> bool:
    return _group(name, wanted) == name


def _behind(prefix: str) -> str:
    return prefix[:-1] + chr(min(ord(prefix[-1]) + 1, sys.maxunicode))


def _decode(token: str) -> str:
    try:
        return base64.b64decode(token, altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        raise invalid(f"Invalid value {token!r} for pageToken.", "pageToken") from None
