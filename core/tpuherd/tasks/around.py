"""The tasks around a running job, in the order in which help lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd.tasks import (
    describing,
    forwarding,
    logs,
    processes,
    reaching,
    rerunning,
    solving,
    ssh_config,
    transfer,
)

if TYPE_CHECKING:
    from invoke.tasks import Task

TASKS: tuple[Task[Any], ...] = (
    rerunning.rerun,
    describing.describe,
    logs.logs,
    reaching.exec_task,
    reaching.ssh,
    forwarding.forward,
    ssh_config.ssh_config,
    transfer.put,
    transfer.get,
    processes.ps,
    processes.kill,
    processes.devices,
    solving.solve,
)
