"""Which TPUs are to be made again: lost ones, and those that an interrupted command has deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.errors import StateError
from tpuherd.fleet.deleting import targets
from tpuherd.fleet.drafts import Drafts
from tpuherd.fleet.guarding import require_mine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.fleet.deleting import Target
    from tpuherd.fleet.knowledge import Knowledge
    from tpuherd.fleet.orders import Order
    from tpuherd.fleet.reading import Fleet
    from tpuherd.fleet.waiting import Note


def lost(fleet: Fleet, known: Knowledge, note: Note) -> list[Target]:
    """The user's TPUs whose VMs were taken away, but those that a job sees to.

    Args:
        fleet: everything.
        known: what the store knows.
        note: is told which ones are left out, and why.
    """
    mine = [tpu for tpu in fleet.tpus if tpu.lost and known.is_mine(tpu)]
    found = []
    for target in targets(mine, fleet.tpus):
        try:
            require_mine(target.rows, known)
        except StateError as error:
            note(f"left as it is: {error}")
        else:
            found.append(target)
    return found


def unfinished(project: str, fleet: Fleet, zones: Sequence[str] = ()) -> list[Order]:
    """What was deleted in order to be made again, and is not there: see `remaking.remake`."""
    there = {(tpu.queued_resource or tpu.name, tpu.zone) for tpu in fleet.tpus}
    orders = [draft.order for draft in Drafts(project).all()]
    return [o for o in orders if (o.name, o.zone) not in there and (not zones or o.zone in zones)]
