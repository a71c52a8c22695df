"""Asking the agents, after a failure, what ails their machines; who does not answer is not known about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd.errors import TpuherdError
from tpuherd.model.observation import HostObservation
from tpuherd.model.sighting import Answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.model.allocation import Allocation
    from tpuherd.model.job import Job

ANSWER_S = 10.0


def ask_hosts(job: Job, allocation: Allocation, workers: Sequence[int]) -> tuple[HostObservation, ...]:
    """One round trip to some workers; never raises for what they do not answer."""
    from tpuherd.agent.asking import ask

    remote = job.session.workers(allocation, job.cloud.ssh)
    try:
        told = ask(remote, workers, "health", timeout_s=ANSWER_S).by_worker if workers else {}
    except TpuherdError:
        told = {}
    return tuple(host_of(index, told.get(index), job.attempt_id) for index in workers)


def host_of(worker: int, health: dict[str, Any] | None, attempt: str) -> HostObservation:
    """What an answer to `health` says; an answer that makes no sense says nothing.

    Args:
        worker: its index.
        health: the answer; `None`: there was none.
        attempt: the attempt that has failed: its own processes are no strangers on the devices.
    """
    if health is None:
        return HostObservation(worker=worker, answered=Answer.NO)
    try:
        return HostObservation(
            worker=worker,
            answered=Answer.YES,
            device_holders=(*_holders(health, attempt), *_lock_users(health)),
            free_bytes=int(health["disk"]["free_bytes"]),
            broken_mounts=tuple(map(str, health["broken_mounts"])),
        )
    except (LookupError, TypeError, ValueError):
        return HostObservation(worker=worker, answered=Answer.UNKNOWN)


def _holders(health: dict[str, Any], attempt: str) -> list[str]:
    held = [one for one in health["device_holders"] if one["attempt"] != attempt]
    return [f"process {one['pid']} ({one['command']}): {', '.join(one['devices'])}" for one in held]


def _lock_users(health: dict[str, Any]) -> list[str]:
    lock = health["tpu_lock"]
    users = lock["users"] if lock else []
    return [f"process {one['pid']} ({one['command']}): {lock['path']}" for one in users]
