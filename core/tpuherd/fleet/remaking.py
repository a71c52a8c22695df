"""Making a TPU again from its own specification: delete, create, wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.cloud.client import TpuApi
from tpuherd.errors import StateError
from tpuherd.fleet import deleting, making
from tpuherd.fleet.drafts import Draft, Drafts
from tpuherd.fleet.orders import order_again

if TYPE_CHECKING:
    from tpuherd.fleet.deleting import Target
    from tpuherd.fleet.orders import Order
    from tpuherd.fleet.waiting import Note
    from tpuherd.model.cloud import Cloud


def remake(cloud: Cloud, target: Target, *, timeout_s: float, note: Note) -> Order:
    """Delete a TPU and make the same again; the order lies on disk until it is there again.

    One that an interrupted call has made anew already is not deleted a second time.

    Args:
        cloud: where.
        target: the node, or the queued resource with all its nodes.
        timeout_s: for the deletion, and again for the creation.
        note: is told how it goes.

    Returns:
        What was ordered.

    Raises:
        StateError: it has gone, or another TPU has taken its place; nothing was deleted.
        ProvisionError: the API refused; the next try goes on from here.
    """
    draft = _begun(cloud, target)
    if draft is None:
        draft = Draft(order=_order(cloud, target), replaces=tuple(row.incarnation for row in target.rows))
        Drafts(cloud.project).save(draft)
    if any(row.incarnation in draft.replaces for row in target.rows):
        deleting.delete(cloud, target, wait=True, timeout_s=timeout_s, note=note)
    finish(cloud, draft.order, timeout_s=timeout_s, note=note)
    return draft.order


def finish(cloud: Cloud, order: Order, *, timeout_s: float, note: Note) -> None:
    """Make what an order says, now or after an interruption, and forget the order.

    Raises:
        ProvisionError: the API refused, or it took too long; the order stays.
        StateError: somebody else has taken the name; the order stays.
    """
    operation = making.ask(cloud, order, making.owner_of(order), note)
    making.wait_until_ready(cloud, order, operation, timeout_s=timeout_s, note=note)
    Drafts(cloud.project).drop(order)


def _begun(cloud: Cloud, target: Target) -> Draft | None:
    """The draft of an interrupted call; a lost TPU is not what it was to lead to."""
    found = Drafts(cloud.project).find(target.name, target.zone)
    return None if any(row.lost for row in target.rows) or not found else found[0]


def _order(cloud: Cloud, target: Target) -> Order:
    message = deleting.read_again(TpuApi(cloud, target.zone), target)
    if message is None:
        raise StateError(f"{target.what} has gone: `tpuherd tpus.create` makes a new one")
    return order_again(message)
