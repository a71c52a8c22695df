"""All tasks in one collection: what `tpuherd` and `inv` serve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd.hooks import GlobalHooks
from tpuherd.tasks import (
    around,
    code,
    connections,
    detecting,
    ending,
    gc,
    history,
    monitoring,
    pausing,
    planning,
    plugins,
    recovering,
    reporting,
    reserving,
    running,
    stages,
    supervising,
    viewing,
)
from tpuherd.tasks.collection import TaskCollection
from tpuherd.tasks.fleet_tasks import add_to as add_fleet_tasks
from tpuherd.tasks.loaded import manager
from tpuherd.warming import write_bytecode

if TYPE_CHECKING:
    from invoke.tasks import Task


ON_TOP: tuple[Task[Any], ...] = (
    running.run,
    running.create,
    running.resume,
    *pausing.TASKS,
    supervising.supervise,
    ending.cancel,
    viewing.status,
    viewing.list_task,
    *around.TASKS,
    *monitoring.TASKS,
    *history.TASKS,
    *reporting.TASKS,
    *recovering.TASKS,
    ending.delete,
    gc.gc,
    planning.plan,
    detecting.detectors,
    stages.provision,
    stages.prepare_env,
    stages.sync_code,
    stages.run_workload,
    stages.release,
)
"""Tasks without a collection, in this order."""


def make_namespace() -> TaskCollection:
    """All tasks, the plugins' included."""
    write_bytecode()
    made = TaskCollection()
    for task in ON_TOP:
        made.add(task)
    made.add(planning.schema, collection="config")
    made.add(plugins.list_task, collection="plugins")
    made.add(code.diff, collection="code")
    add_fleet_tasks(made)
    reserving.add_to(made)
    connections.add_to(made)
    GlobalHooks(manager()).register_tasks(made)
    return made


namespace = make_namespace()
