"""What runs on workers, whoever started it: asked of their agents."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tpuherd.agent.answers import AgentProtocolError
from tpuherd.agent.bundle import bundle, command
from tpuherd.agent.client import Agents
from tpuherd.errors import WorkloadError

if TYPE_CHECKING:
    from tpuherd.remote import FanOut, RemoteResult, RemoteWorkers

RUNNING = frozenset({"starting", "running"})
ANSWER_S = 30.0


def occupants(remote: RemoteWorkers, *, except_job: str = "") -> list[str]:
    """What runs on some workers, one sentence each: attempts of jobs, and holders of TPU devices.

    Args:
        remote: the workers.
        except_job: the job whose own processes do not count; empty: none.

    Raises:
        RemoteError: the private key cannot be used.
        WorkloadError: a worker did not answer, so it is not known.
    """
    return [line for result in _ask(remote).results for line in _of_worker(result, except_job)]


def running_attempts(remote: RemoteWorkers, job_id: str) -> dict[str, list[int]]:
    """The attempts of a job that have not ended, each with the indices of the workers where they run.

    Raises:
        RemoteError: the private key cannot be used.
        WorkloadError: a worker did not answer, so it is not known.
    """
    found: dict[str, list[int]] = {}
    for result in _ask(remote).results:
        for attempt in _attempts(result):
            if _is_of(attempt, job_id):
                found.setdefault(attempt, []).append(result.worker.index)
    return found


def _ask(remote: RemoteWorkers) -> FanOut:
    """Two lines of JSON from every worker: its attempts, and who holds its devices."""
    Agents(remote).install()
    line = f"{command(bundle(), 'status')} && {command(bundle(), 'devices')}"
    done = remote.run(line, timeout_s=ANSWER_S)
    done.require(WorkloadError, "asking what runs")
    return done


def _answers(result: RemoteResult) -> tuple[dict[str, Any], dict[str, Any]]:
    try:
        first, second = result.stdout.strip().splitlines()[-2:]
        return json.loads(first), json.loads(second)
    except ValueError as error:
        text = result.stdout[-200:]
        raise AgentProtocolError(f"the agent of {result.worker.name} answered {text!r}") from error


def _attempts(result: RemoteResult) -> list[str]:
    return [one["attempt"] for one in _answers(result)[0]["attempts"] if one["state"] in RUNNING]


def _of_worker(result: RemoteResult, except_job: str) -> list[str]:
    name = result.worker.name
    attempts = [one for one in _attempts(result) if not _is_of(one, except_job)]
    holders = [h for h in _answers(result)[1]["holders"] if not _is_of(h["attempt"] or "", except_job)]
    held = [f"{name}: process {h['pid']} ({h['command']}) holds {', '.join(h['devices'])}" for h in holders]
    return [f"{name}: attempt {attempt}" for attempt in attempts] + held


def _is_of(attempt: str, job_id: str) -> bool:
    """True if an attempt id, `JOB.NUMBER`, is one of this job."""
    return bool(job_id) and attempt.rpartition(".")[0] == job_id
