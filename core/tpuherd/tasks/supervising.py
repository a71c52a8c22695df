"""The task that drives all jobs from one process."""

from __future__ import annotations

import json as json_text
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from tpuherd.errors import ConfigError, StateError
from tpuherd.tasks import opening
from tpuherd.tasks.command import command

if TYPE_CHECKING:
    from collections.abc import Callable

    from invoke.context import Context

    from tpuherd.store.supervisors import SupervisorStatus

SAME_STATUSES = 30
"""A status that tells of as many jobs as the one before is shown once in so many times."""


@command(
    help={
        "status": "Only show the supervisor that runs: its jobs, calls to the TPU API, memory, processor.",
        "stop": "Only end the supervisor that runs; its jobs stay as they are.",
        "unit": "Only print a systemd user unit that runs it.",
        "install": "Only write that unit where systemd looks for it; nothing is started.",
        "json": "Print JSON: with --status one object, else one line every two seconds.",
    },
)
def supervise(
    _context: Context,
    status: bool = False,
    stop: bool = False,
    unit: bool = False,
    install: bool = False,
    json: bool = False,
) -> None:
    """Drive all jobs of this store that are meant to go on and that nobody drives, from one process.

    That are jobs whose controller has gone, and those of `create`; jobs that are run stage by stage, paused
    ones, and those that other processes drive are left alone. TERM or Ctrl-C leaves the jobs as they are,
    and their work goes on; the next supervisor goes on with them. There is one for each store, user and
    machine.
    """
    if status + stop + unit + install > 1:
        raise ConfigError("--status, --stop, --unit and --install: give one of them")
    if status:
        _show_status(json=json)
    elif stop:
        _stop()
    elif unit:
        from tpuherd.supervising.unit import unit as unit_text

        sys.stdout.write(unit_text())
    elif install:
        _install()
    else:
        _supervise(_json_line if json else _status_line())


def _supervise(show: Callable[[SupervisorStatus], None]) -> None:
    from tpuherd.output.reporter import Reporter
    from tpuherd.supervising.service import Service, runs_already
    from tpuherd.tasks.loaded import manager

    reporter = Reporter()
    service = Service(opening.store(), manager(), note=reporter.note, show=show)
    if not service.register():
        raise runs_already(opening.store())
    reporter.note("supervising; Ctrl-C leaves the jobs as they are")
    service.run()


def _show_status(*, json: bool) -> None:
    from tpuherd.output.tables import ago, print_json, print_table
    from tpuherd.store.supervisors import own_name

    found = opening.store().supervisors.get(own_name())
    if found is None:
        raise StateError("no supervisor of this store runs: `tpuherd supervise` starts one")
    if json:
        print_json(asdict(found))
        return
    rows = asdict(found) | {"since": ago(found.since), "api_calls": sum(found.api_calls.values())}
    print_table(
        ("", ""), [(key.replace("_", " "), value) for key, value in rows.items() if key != "likeness"]
    )


def _stop() -> None:
    from tpuherd.output.reporter import Reporter
    from tpuherd.supervising.asking import stop_supervisor

    stopped = stop_supervisor(opening.store())
    Reporter().note("the supervisor has ended" if stopped else "no supervisor of this store runs")


def _install() -> None:
    from tpuherd.output.reporter import Reporter
    from tpuherd.supervising.unit import NAME, install

    try:
        path = install()
    except OSError as error:
        raise ConfigError(f"cannot write the unit: {error}") from error
    sys.stdout.write(f"{path}\n")
    Reporter().note(f"`systemctl --user enable --now {NAME}` starts it, now and at every login")


def _json_line(status: SupervisorStatus) -> None:
    sys.stdout.write(json_text.dumps(asdict(status)) + "\n")
    sys.stdout.flush()


def _status_line() -> Callable[[SupervisorStatus], None]:
    """Writes a line when the number of jobs has changed, and one in `SAME_STATUSES` else."""
    from tpuherd.output.reporter import Reporter

    reporter, last = Reporter(), [(-1, -1, 0)]

    def show(now: SupervisorStatus) -> None:
        driven, aside, age = last[0]
        if (driven, aside) == (now.driven, now.aside) and age < SAME_STATUSES:
            last[0] = (driven, aside, age + 1)
            return
        last[0] = (now.driven, now.aside, 0)
        reporter.note(
            f"{now.driven} jobs driven, {now.aside} set aside, {now.api_calls_per_s:.1f} API calls/s, "
            f"{now.rss_mib:.0f} MiB, {now.cpu_share:.0%} of a core"
        )

    return show
