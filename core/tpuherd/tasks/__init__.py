"""The tasks of `tpuherd` and `inv`: thin, they parse, call core, print, and set the exit code."""

from __future__ import annotations

from tpuherd.hooks import GlobalHooks
from tpuherd.tasks import ending, planning, plugins, reaching, running, stages, viewing
from tpuherd.tasks.collection import TaskCollection
from tpuherd.warming import write_bytecode


def make_namespace() -> TaskCollection:
    """All tasks, the plugins' included."""
    write_bytecode()
    made = TaskCollection()
    for task in (
        running.run,
        running.create,
        running.resume,
        running.cancel,
        viewing.status,
        viewing.list_task,
        viewing.logs,
        reaching.exec_task,
        reaching.ssh,
        ending.delete,
        planning.plan,
        stages.provision,
        stages.prepare_env,
        stages.sync_code,
        stages.run_workload,
        stages.release,
    ):
        made.add(task)
    made.add(planning.schema, collection="config")
    made.add(plugins.list_task, collection="plugins")
    GlobalHooks(plugins.manager()).register_tasks(made)
    return made


namespace = make_namespace()
