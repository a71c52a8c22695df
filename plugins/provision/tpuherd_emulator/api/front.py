"""The API, put together: everything that can be called, behind one way in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd_emulator.api.calls import Calls
from tpuherd_emulator.api.catalog import Catalog
from tpuherd_emulator.api.maintenance import Maintenance
from tpuherd_emulator.api.methods import Parts, methods

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd_emulator.api.calls import Gate
    from tpuherd_emulator.api.context import Context
    from tpuherd_emulator.api.nodes import Nodes
    from tpuherd_emulator.api.queued_resources import QueuedResources


def front(
    context: Context,
    nodes: Nodes,
    queued: QueuedResources,
    *,
    answered: Callable[[], None],
    gate: Gate | None = None,
) -> Calls:
    """Return the calls of a cloud; see `Calls` for the last two."""
    parts = Parts(
        nodes=nodes,
        queued=queued,
        catalog=Catalog(context),
        maintenance=Maintenance(context, nodes, queued),
        operations=context.operations,
    )
    return Calls(context.scheduler, context.places, methods(parts), answered, gate)
