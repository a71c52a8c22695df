"""Lists in pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from tpuherd_emulator.api import errors

if TYPE_CHECKING:
    from collections.abc import Sequence

Item = TypeVar("Item")

LARGEST_PAGE = 1000


def page(items: Sequence[Item], size: int, token: str) -> tuple[Sequence[Item], str]:
    """Return one page and the token of the next one, empty at the end.

    Args:
        items: All of them, in an order that does not change.
        size: Wanted length; 0: as the server likes.
        token: From the page before; empty for the first one.

    Raises:
        ApiError: The token is not one that this server gave out.
    """
    if size < 0 or (token and not token.isdecimal()):
        raise errors.invalid(f"Invalid page_size {size} or page_token '{token}'")
    start = int(token or 0)
    end = start + min(size or LARGEST_PAGE, LARGEST_PAGE)
    return items[start:end], str(end) if end < len(items) else ""
