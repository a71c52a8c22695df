"""Sentences that help after a wrong word."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LISTED = 20
"""How many valid choices a sentence names before it says `and N more`."""


def nearest(word: str, choices: Iterable[str]) -> str:
    """Say what was probably meant, and what is valid.

    Args:
        word: What the user wrote.
        choices: What would have been valid; their order is kept.

    Returns:
        For example `did you mean 'zone'? valid: name, zone`; without a near choice only the second part, and
        `nothing is valid here` if there are no choices.
    """
    known = list(choices)
    if not known:
        return "nothing is valid here"
    close = closest(word, known)
    question = f"did you mean {close!r}? " if close else ""
    return f"{question}valid: {listed(known)}"


def closest(word: str, choices: Iterable[str]) -> str | None:
    """Return the one choice most like `word`, upper and lower case aside, or `None` if none is like it."""
    by_lower = {choice.lower(): choice for choice in choices}
    found = get_close_matches(word.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[found[0]] if found else None


def listed(choices: Iterable[str]) -> str:
    """Join choices with commas, and count those beyond the first twenty instead of naming them."""
    known = list(choices)
    more = len(known) - LISTED
    return ", ".join(known[:LISTED]) + (f" and {more} more" if more > 0 else "")
