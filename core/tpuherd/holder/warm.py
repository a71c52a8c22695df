"""`python -m tpuherd.holder.warm PATH IDLE_S`: the warm starter, whose children are commands."""

from __future__ import annotations

import gc
import os
import sys
import time
from importlib import import_module
from pathlib import Path

from tpuherd.holder import sockets, starting
from tpuherd.holder.preparing import import_light, noted_modules, rehearse_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MODULES = (
    "tpuherd.tasks.namespace",
    "tpuherd.program",
    "tpuherd.agent.client",
    "tpuherd.cloud.planning",
    "tpuherd.engine.controller",
    "tpuherd.engine.forwarding",
    "tpuherd.engine.launching",
    "tpuherd.engine.opening",
    "tpuherd.engine.rerunning",
    "tpuherd.engine.running",
    "tpuherd.holder.workers",
    "tpuherd.output.summary",
    "tpuherd.store.store",
    "sqlalchemy.dialects.sqlite.pysqlite",
    "sqlite3.dbapi2",
    "pydantic.plugin._loader",
)
"""What `rerun` imports, as far as it starts no threads."""

TRIES = 5
"""To import everything anew, if modules are changed just while they are imported."""


def main() -> None:
    """Serve until nobody has asked for long; a child goes on as the command that was asked for."""
    from tpuherd.holder.forking import WarmStarter
    from tpuherd.holder.freshness import Freshness

    path, idle_s, now_s = Path(sys.argv[1]), float(sys.argv[2]), time.time()
    tries = int(sys.argv[3]) if sys.argv[3:] else TRIES
    with starting.only_one(path):
        if starting.running(path):
            return
        path.unlink(missing_ok=True)
        _import_all(noted_modules(path))
        freshness = Freshness(now_s)
        if freshness.is_late and tries:
            again = [*sys.orig_argv[:3], str(path), str(idle_s), str(tries - 1)]
            os.execv(sys.executable, again)  # noqa: S606
        starter = WarmStarter(sockets.listen(path), path, idle_s, freshness)
    if starter.serve():
        from tpuherd.cli import here

        here()


def _import_all(more: Sequence[str]) -> None:
    """Import modules and plugins, and make the models of job files; nothing is left open.

    Args:
        more: modules that the last `rerun` has used.
    """
    for module in MODULES:
        import_module(module)
    from tpuherd.agent.bundle import bundle
    from tpuherd.config.assemble import job_model
    from tpuherd.engine.stages import prepare_values
    from tpuherd.hooks import GlobalHooks
    from tpuherd.tasks.loaded import manager

    sections = GlobalHooks(manager()).config_sections()
    for model in (job_model(sections), *(section.model for section in sections)):
        model.model_rebuild()  # else each child would, at its first use
    import_light(more)
    bundle()
    prepare_values()
    rehearse_store()
    gc.freeze()  # children leave what is here alone, and need not copy it


if __name__ == "__main__":
    main()
