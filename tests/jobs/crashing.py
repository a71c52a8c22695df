"""A plugin that ends its own process with SIGKILL at the point that `CRASH_AT` names.

`before:HOOK`, `after:HOOK` (done, but not recorded yet) or `EVENT:STAGE`, for example `stage.ended:collect`
(recorded), `stage.failed:run_workload` if the workload fails; an event without a stage is `job.ended:`.
"""

from __future__ import annotations

import os
import signal
from typing import Any

from tpuherd import Event, hookimpl

POINT = os.environ["CRASH_AT"]


def _reached(point: str) -> None:
    if point == POINT:
        os.kill(os.getpid(), signal.SIGKILL)


def _wrapper(hook: str) -> Any:
    def wrapped() -> Any:
        _reached(f"before:{hook}")
        result = yield
        _reached(f"after:{hook}")
        return result

    return hookimpl(wrapper=True)(wrapped)


connect_cloud = _wrapper("connect_cloud")
provision = _wrapper("provision")
prepare_env = _wrapper("prepare_env")
sync_code = _wrapper("sync_code")
run_workload = _wrapper("run_workload")
collect = _wrapper("collect")
release = _wrapper("release")
leave_cloud = _wrapper("leave_cloud")


@hookimpl
def on_event(event: Event) -> None:
    """Crash at an event, which the store has by now."""
    stage = event.text.partition(":")[0] if event.kind.startswith("stage.") else ""
    _reached(f"{event.kind}:{stage}")
