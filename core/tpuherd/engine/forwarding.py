"""The ports of a job's workers on this machine, while its work runs."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from tpuherd.errors import TpuherdError
from tpuherd.model.plan import PlanStep

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tpuherd.config.spec import JobSpec
    from tpuherd.model.allocation import Allocation
    from tpuherd.model.job import Job


def port_steps(spec: JobSpec) -> list[PlanStep]:
    """What `plan` says about ports.

    Raises:
        ConfigError: a port is of a worker that the slices may not have.
    """
    from tpuherd.config.ports import as_ports
    from tpuherd.config.workers import require_there

    steps = []
    for number, one in enumerate(as_ports(spec.ports)):
        require_there(spec, one.worker, f"ports[{number}].worker")
        local = "any port" if one.local_port == 0 else f"port {one.local_port or one.port}"
        action = f"open {local} of 127.0.0.1 for port {one.port} of worker {one.worker}"
        steps.append(PlanStep(stage="run_workload", where="this machine", action=action))
    return steps


@contextmanager
def forwarded(job: Job, allocation: Allocation) -> Iterator[None]:
    """Have the job's ports here for the length of the block; one that cannot be had stops no work."""
    if not job.spec.ports:
        yield
        return
    with ExitStack() as stack:
        try:
            _open(job, allocation, stack)
        except TpuherdError as error:
            job.session.reporter.problem(f"ports: {error}")
        yield


def _open(job: Job, allocation: Allocation, stack: ExitStack) -> None:
    from tpuherd.config.ports import as_ports
    from tpuherd.reach.ports import open_ports

    session = job.session
    opening = open_ports(
        as_ports(job.spec.ports), allocation, job.cloud.ssh, session.known_hosts, session.note
    )
    for one in stack.enter_context(opening):
        session.note(f"w{one.worker} port {one.port}: {one.url}")
