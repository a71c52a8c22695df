"""All workers of a cloud: planned with their addresses, booted and removed in parallel."""

from __future__ import annotations

import itertools
import os
import pwd
import secrets
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd_emulator.layout import WORKER_MARKER, Layout
from tpuherd_emulator.workers import actions
from tpuherd_emulator.workers import environment as env
from tpuherd_emulator.workers.addressed import Addressed
from tpuherd_emulator.workers.ending import power_off
from tpuherd_emulator.workers.machine import Machine
from tpuherd_emulator.workers.plan import WorkerPlan

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd_emulator.workers.addresses import Addresses
    from tpuherd_emulator.workers.backend import Backend

IN_PARALLEL = 16
"""Workers that are booted or removed at the same time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """What all workers of a cloud have in common."""

    layout: Layout
    backend: Backend
    addresses: Addresses
    ssh_port: int
    metadata_port: int
    variables: dict[str, str]
    """Environment that is the same on all workers."""
    has_processes: bool = True
    """False: workers are addresses, and nothing answers there."""


class Fleet:
    """Creates workers and does things to several of them at once."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._folders: set[str] = set()
        # Its threads live as long as the daemon: bwrap ends a worker when the thread that started it ends.
        self._hands = ThreadPoolExecutor(IN_PARALLEL, thread_name_prefix="worker")
        self._tasks = ThreadPoolExecutor(IN_PARALLEL, thread_name_prefix="slice")

    def plan(self, node_id: str, workers: int, chips: int) -> tuple[Machine, ...]:
        """Reserve folders and addresses for the workers of a slice; nothing is started.

        Args:
            node_id: The slice.
            workers: How many.
            chips: TPU chips of each of them.
        """
        addresses = tuple(self._site.addresses.take() for _ in range(workers))
        identity = secrets.token_hex(4)
        return tuple(
            self._machine(
                self._folder(f"{node_id}-w{index}"), f"t1v-n-{identity}-w-{index}", index, chips, addresses
            )
            for index in range(workers)
        )

    def boot(self, machines: tuple[Machine, ...]) -> Future[None]:
        """Power workers on; the result comes when all of them answer, or the first error."""
        return self.each(actions.power_on, machines)

    def stop(self, machines: tuple[Machine, ...]) -> Future[None]:
        """Power workers off."""
        return self.each(actions.power_off, machines)

    def each(self, action: Callable[[Machine], None], machines: tuple[Machine, ...]) -> Future[None]:
        """Do something to workers, in parallel; the result comes at the end, or the first error."""
        return self._tasks.submit(self._all, action, machines)

    def remove(self, machines: tuple[Machine, ...]) -> Future[None]:
        """Power workers off, delete their disks and give their addresses back."""
        return self._tasks.submit(self._remove, machines)

    def shut_down(self, machines: tuple[Machine, ...]) -> None:
        """Remove workers, and start none any more."""
        self._remove(machines)
        self._tasks.shutdown(wait=False, cancel_futures=True)
        self._hands.shutdown(wait=False, cancel_futures=True)

    def _remove(self, machines: tuple[Machine, ...]) -> None:
        if self._site.has_processes:  # one look at all processes instead of many
            power_off([machine.plan.directory for machine in machines])
        self._all(lambda machine: machine.remove(), machines)
        for machine in machines:
            self._site.addresses.give_back(machine.plan.address)
            self._folders.discard(machine.plan.directory.name)

    def _all(self, action: Callable[[Machine], None], machines: tuple[Machine, ...]) -> None:
        for done in [self._hands.submit(action, machine) for machine in machines]:
            done.result()

    def _folder(self, wanted: str) -> str:
        """A free name: nodes of two zones may have the same id."""
        others = (f"{wanted}.{number}" for number in itertools.count(2))
        name = next(name for name in itertools.chain([wanted], others) if name not in self._folders)
        self._folders.add(name)
        return name

    def _machine(
        self, folder: str, hostname: str, index: int, chips: int, addresses: tuple[str, ...]
    ) -> Machine:
        directory = self._site.layout.workers / folder
        user = login_name()
        plan = WorkerPlan(
            directory=directory,
            index=index,
            hostname=hostname,
            address=addresses[index],
            ssh_port=self._site.ssh_port,
            user=user,
            environment={
                **self._site.variables,
                **env.tpu_variables(chips, index, addresses),
                **env.metadata_variables(addresses[index], self._site.metadata_port),
                **({} if self._site.backend.sandbox.private_tmp else {"TMPDIR": str(directory / "tmp")}),
                "PATH": os.pathsep.join([str(self._site.layout.image / "bin"), env.SYSTEM_PATH]),
                "HOME": str(directory / "home"),
                "USER": user,
                WORKER_MARKER: str(directory),
            },
        )
        return (Machine if self._site.has_processes else Addressed)(plan, self._site.backend)


def login_name() -> str:
    """Return the name of the user who runs the cloud: the only one who can log in to its workers."""
    return pwd.getpwuid(os.getuid()).pw_name
