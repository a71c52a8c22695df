"""One error for all that was said in several placements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.cloud.classification import UNKNOWN
from tpuherd.cloud.refusals import CloudRefused

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tpuherd.cloud.backoff import Backoff
    from tpuherd.cloud.placement import Placement


def nothing_anywhere(
    places: Sequence[Placement], said: Mapping[Placement, CloudRefused], backoff: Backoff
) -> CloudRefused:
    """What was said in each placement, and what to do about it; of one placement, what was said there.

    Args:
        places: all of them, in the order of the job file.
        said: what was said in those that were tried.
        backoff: knows what kept from trying the others.
    """
    if len(places) == 1 and places[0] in said:
        return said[places[0]]
    lines = [f"  {place}: {_reason(place, said, backoff)}" for place in places]
    text = "\n".join([f"none of {len(places)} placements has delivered:", *lines])
    meanings = {error.meaning for error in said.values()}
    if len(meanings) == 1:
        return CloudRefused(text, meanings.pop())
    fixes = dict.fromkeys(error.fix for error in said.values() if error.fix)
    return CloudRefused("\n".join([text, *fixes]), UNKNOWN)


def _reason(place: Placement, said: Mapping[Placement, CloudRefused], backoff: Backoff) -> str:
    if place in said:
        return said[place].text.replace("\n", "\n    ")
    barrier = backoff.barrier(place)
    why = (
        f", what was said elsewhere holds here, too: {barrier.error.text.splitlines()[0]}" if barrier else ""
    )
    return f"not asked{why}"
