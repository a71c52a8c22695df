"""The first start of JAX on all workers together, before the work pays for what is wrong."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from tpuherd.accelerators import resolve
from tpuherd.envs.failing import require_made
from tpuherd.errors import PrepareError
from tpuherd.model.outcome import SyncedCode
from tpuherd.remote import RemoteCommand
from tpuherd.remote.environment import command_in

if TYPE_CHECKING:
    from tpuherd.envs.making import Made
    from tpuherd.model.allocation import Allocation, Worker
    from tpuherd.model.job import Job
    from tpuherd.model.outcome import Environment
    from tpuherd.remote import FanOut

TWO_DEVICES = frozenset({"v2", "v3", "tpu7x"})
"""Generations of which JAX shows every chip as two devices."""
MARGIN_S = 30.0
"""How much longer the connection waits than the worker."""


def preflight(job: Job, allocation: Allocation, environment: Environment, made: Made) -> None:
    """Start JAX on all workers at once and count its devices, unless that was done for this environment.

    `environment.preflight` decides; by default, it happens where the cloud has real TPUs and JAX is there.

    Raises:
        PrepareError: JAX does not start, finds other devices than the slices have, or another platform.
    """
    if not _wanted(job, environment) or made.checked:
        return
    timeout_s = job.spec.environment.preflight_timeout_s
    job.session.note(f"preflight: JAX on {len(allocation.workers)} workers")
    commands = {w.index: _command(job, allocation, w, environment) for w in allocation.workers}
    remote = job.session.workers(allocation, job.cloud.ssh)
    done = remote.run_each(commands, timeout_s=timeout_s + MARGIN_S)
    require_made(done, "preflight (environment.preflight)")
    _compare(done, _expected(job, allocation))
    marker = f'mkdir -p "$HOME/.tpuherd/preflight" && touch "$HOME/.tpuherd/preflight/{environment.key}"'
    remote.run(marker, timeout_s=MARGIN_S).require(PrepareError, "noting the preflight")


def _wanted(job: Job, environment: Environment) -> bool:
    asked = job.spec.environment.preflight
    return asked if asked is not None else job.cloud.devices == "tpu" and "jax" in environment.versions


def _command(job: Job, allocation: Allocation, worker: Worker, environment: Environment) -> RemoteCommand:
    """A process of a JAX job with one process per worker; the time limit ends it on the worker, too."""
    from tpuherd.engine.variables import coordinator_port

    address = f"{allocation.workers[0].internal_address}:{coordinator_port(job)}"
    words = ["python3", "-c", _probe(), address, str(len(allocation.workers)), str(worker.index)]
    limit = ["timeout", "--kill-after=5", f"{job.spec.environment.preflight_timeout_s:g}"]
    variables = {**job.cloud.worker_variables, **environment.variables}
    where = SyncedCode(kind="none", snapshot="", directory="")
    script = shlex.join([*limit, *words])
    return RemoteCommand(command=command_in(replace(environment, variables=variables), where, script))


@cache
def _probe() -> str:
    return files("tpuherd.envs").joinpath("jax_probe.py").read_text()


def _expected(job: Job, allocation: Allocation) -> dict[str, Any]:
    """What the slices promise, in the words of the probe."""
    shape = resolve(allocation.accelerator)
    double = job.cloud.devices == "tpu" and shape.generation in TWO_DEVICES
    local = shape.chips_per_worker * (2 if double else 1)
    return {
        "platform": job.cloud.devices,
        "local_device_count": local,
        "device_count": local * len(allocation.workers),
    }


def _compare(done: FanOut, expected: dict[str, Any]) -> None:
    """All workers say what is expected, and have the same JAX."""
    found = {result.worker.name: _answer(result.stdout) for result in done.results}
    first = next(iter(found.values()))
    wanted = {**expected, "jax": first.get("jax"), "jaxlib": first.get("jaxlib")}
    wrong = [
        f"{worker}: {name} is {answer.get(name)}, expected {value}"
        for worker, answer in found.items()
        for name, value in wanted.items()
        if answer.get(name) != value
    ]
    if wrong:
        raise PrepareError(f"preflight (environment.preflight): {'; '.join(wrong[:8])}")


def _answer(printed: str) -> dict[str, Any]:
    lines = [line for line in printed.splitlines() if line.startswith('{"jax"')]
    return json.loads(lines[-1]) if lines else {}
