"""All tasks of the collection `tpus`; `tpuherd tpus` alone lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.tasks import (
    fleet,
    fleet_changing,
    fleet_details,
    fleet_maintenance,
    fleet_making,
    fleet_remaking,
)

if TYPE_CHECKING:
    from tpuherd.tasks.collection import TaskCollection

COLLECTION = "tpus"


def add_to(namespace: TaskCollection) -> None:
    """Add them."""
    namespace.add(fleet.list_task, collection=COLLECTION, default=True)
    for task in (
        fleet.find,
        fleet_details.describe,
        fleet_details.quota,
        fleet_making.create,
        fleet_changing.delete,
        fleet_changing.start,
        fleet_changing.stop,
        fleet_remaking.reapply,
        fleet_remaking.recreate_preempted,
        fleet_maintenance.maintenance,
        fleet_maintenance.simulate_maintenance,
        fleet_maintenance.perform_maintenance,
    ):
        namespace.add(task, collection=COLLECTION)
