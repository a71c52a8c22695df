"""Examining workers, and repairing what is safe to repair."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tpuherd.agent.asking import ask
from tpuherd.solving.checks import examine
from tpuherd.solving.finding import Finding, Patient, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.agent.asking import Answers
    from tpuherd.remote import FanOut, RemoteWorkers

TIMEOUT_S = 60.0
PACKAGES = """python3 - <<'END'
from importlib.metadata import PackageNotFoundError, version
def told(name):
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"no {name}"
print(", ".join(map(told, ("jax", "jaxlib", "libtpu"))))
END"""
"""Run in the job's environment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is asked about, besides the workers themselves."""

    packages_command: str
    """`PACKAGES` as a command in the job's environment."""
    code_directory: str
    """Below the home folder; empty: the job has no code."""


def solve(remote: RemoteWorkers, workers: Sequence[int], subject: Subject, *, repair: bool) -> list[Finding]:
    """Examine workers, and repair what is safe to repair.

    Args:
        remote: connections to the workers.
        workers: their indices.
        subject: what belongs to the job.
        repair: whether anything is changed.
    """
    patients, silent = _patients(remote, workers, subject)
    found = examine(patients)
    return [*silent, *(_repaired(remote, one) if repair else one for one in found)]


def _patients(
    remote: RemoteWorkers, workers: Sequence[int], subject: Subject
) -> tuple[list[Patient], list[Finding]]:
    said = ask(remote, workers, "health", timeout_s=TIMEOUT_S)
    silent = [
        Finding(check="answers", worker=end.worker.index, verdict=Verdict.PROBLEM, text=_why(end.ending))
        for end in said.ends.failed
    ]
    there = list(said.by_worker)
    ahead = _clocks(remote, there)
    packages = _texts(remote.run(subject.packages_command, workers=there, timeout_s=TIMEOUT_S))
    code = _code(remote, there, subject)
    patients = [
        Patient(
            worker=worker,
            health=said.by_worker[worker],
            clock_ahead_s=ahead[worker][0],
            clock_error_s=ahead[worker][1],
            code_there=code.get(worker),
            packages=packages.get(worker, "no answer from its Python"),
        )
        for worker in there
    ]
    return patients, silent


def _why(ending: str) -> str:
    return f"{ending}: look at its node with `tpuherd tpus`"


def _clocks(remote: RemoteWorkers, workers: Sequence[int]) -> dict[int, tuple[float, float]]:
    """How far each clock is ahead, and how exact that is; a short command over a warm connection."""
    before = time.time()
    done = remote.run("date +%s.%N", workers=workers, timeout_s=TIMEOUT_S)
    middle, error = (before + time.time()) / 2, (time.time() - before) / 2
    told = _texts(done)
    return {worker: (float(told[worker]) - middle if worker in told else 0.0, error) for worker in workers}


def _code(remote: RemoteWorkers, workers: Sequence[int], subject: Subject) -> dict[int, bool]:
    from tpuherd.remote import quote

    if not subject.code_directory:
        return {}
    line = quote(["test", "-d", subject.code_directory])
    done = remote.run(line, workers=workers, timeout_s=TIMEOUT_S)
    return {result.worker.index: result.succeeded for result in done.results}


def _texts(done: FanOut) -> dict[int, str]:
    """The last line of each worker that succeeded."""
    return {
        one.worker.index: one.stdout.strip().splitlines()[-1] for one in done.succeeded if one.stdout.strip()
    }


def _repaired(remote: RemoteWorkers, one: Finding) -> Finding:
    if not one.repair:
        return one
    said: Answers = ask(remote, [one.worker], *one.repair, timeout_s=TIMEOUT_S)
    if said.ends.failed:
        return replace(one, verdict=Verdict.PROBLEM, text=f"{one.text}; {said.ends.summary()}")
    return replace(one, verdict=Verdict.REPAIRED, text=f"{one.text}: repaired")
