"""Lists in pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from tpuherd_emulator.api import errors

if TYPE_CHECKING:
    from collections.abc import Sequence

Item = TypeVar("Item")

LARGEST_PAGE = 1000

_MARK = "page-at-"
"""Tokens begin with it, so that nobody takes them for numbers that could be made up."""


def page(items: Sequence[Item], size: int, token: str) -> tuple[Sequence[Item], str]:
    """Return one page and the token of the next one, empty at the end.

    Args:
        items: All of them, in an order that does not change.
        size: Wanted length; 0: as the server likes.
        token: From the page before; empty for the first one.

    Raises:
        ApiError: The token is not one that this server gave out.
    """
    if size < 0:
        raise errors.invalid(f"Invalid page_size {size}: it must not be negative")
    start = _start(token)
    end = start + min(size or LARGEST_PAGE, LARGEST_PAGE)
    return items[start:end], f"{_MARK}{end}" if end < len(items) else ""


def _start(token: str) -> int:
    """Where a page begins; items that went meanwhile may leave it empty, as on the real server."""
    place = token.removeprefix(_MARK)
    if not token:
        return 0
    if place == token or not place.isdecimal():
        raise errors.invalid(f"Invalid page_token '{token}': it must be a next_page_token of this list")
    return int(place)
