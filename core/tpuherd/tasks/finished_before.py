"""Jobs that `run` and `create` do not make, because what they would make is there."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tpuherd.tasks import opening

if TYPE_CHECKING:
    from tpuherd.config.load import LoadedJob
    from tpuherd.model.finished_work import FinishedWork


def find(loaded: LoadedJob) -> FinishedWork | None:
    """What the job of a file would make, if it is there; a job or fleet that is live goes on instead.

    Raises:
        ProvisionError: the cloud cannot be reached.
    """
    from tpuherd.engine.finished_before import find_finished
    from tpuherd.tasks.loaded import manager

    return None if _is_live(loaded) else find_finished(manager(), loaded)


def tell(found: FinishedWork, *, json: bool) -> None:
    """Say that nothing is to be done."""
    from tpuherd.exit_codes import ExitCode
    from tpuherd.output.tables import print_json
    from tpuherd.store.records import JobState

    if json:
        work = {"address": found.address, "summary": found.summary}
        print_json(
            {
                "job": None,
                "state": JobState.SUCCEEDED.value,
                "exit_code": int(ExitCode.SUCCESS),
                "finished_before": work,
            }
        )
        return
    sys.stdout.write(f"{found.summary}\n")
    sys.stderr.write("nothing is left to do: no job was made, and no slice was asked for\n")


def _is_live(loaded: LoadedJob) -> bool:
    import getpass

    from tpuherd.members.making import live_members

    name, store = loaded.spec.job.name, opening.store()
    if loaded.spec.whole_fleet is not None:
        return bool(live_members(store, name))
    newest = store.jobs.newest(name, getpass.getuser())
    return newest is not None and not newest.state.ended
