"""The ailments, one function each: from what a worker said to a finding."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tpuherd.solving.finding import Finding, Patient, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DISK_BYTES = 2 << 30
"""Less free space than this is an ailment."""
CLOCK_S = 5.0
"""A clock that is off by more makes credentials fail and logs misleading."""


def examine(patients: Sequence[Patient]) -> list[Finding]:
    """All checks on all workers, in the order of the checks."""
    alone = [check(patient) for check in CHECKS for patient in patients]
    return [*alone, *_versions(patients)]


def _mounts(patient: Patient) -> Finding:
    """Those of tpuherd can be mounted again; it does not know how others were mounted."""
    own = {mount["path"]: mount["state"] for mount in patient.health["own_mounts"]}
    others = [path for path in patient.health["broken_mounts"] if path not in own]
    if others:
        text = f"does not answer: {', '.join(others)}. Unmount it with `umount -l`, and mount it again"
        return _finding("mounts", patient, text)
    words = {"broken": "does not answer", "missing": "is not mounted"}
    text = ", ".join(f"{path} {words[state]}" for path, state in own.items() if state in words)
    return _finding("mounts", patient, text, repair=("remount",) if text else ())


def _apt(patient: Patient) -> Finding:
    pids = ", ".join(map(str, patient.health["apt_holders"]))
    text = f"held by process {pids}: wait until it is done; ending it would leave packages half installed"
    return _finding("apt lock", patient, text if pids else "")


def _lock_file(patient: Patient) -> Finding:
    lock = patient.health["tpu_lock"]
    if lock is None:
        return _finding("libtpu lock", patient, "")
    if not lock["users"]:
        text = f"{lock['path']} is left over: no process uses it"
        return _finding("libtpu lock", patient, text, repair=("unlock",))
    who = ", ".join(f"{user['pid']} ({user['command'][:60]})" for user in lock["users"])
    runs = any(one["state"] in {"starting", "running"} for one in patient.health["attempts"])
    text = f"{lock['path']} is held by process {who}, which no attempt started: it is not ended here"
    return _finding("libtpu lock", patient, "" if runs else text)


def _devices(patient: Patient) -> Finding:
    others = [holder for holder in patient.health["device_holders"] if holder["attempt"] is None]
    who = ", ".join(f"{one['pid']} ({one['command'][:60]})" for one in others)
    text = f"held by process {who}, which tpuherd did not start: end it, or start another job"
    return _finding("devices", patient, text if others else "")


def _leftovers(patient: Patient) -> Finding:
    for attempt in patient.health["attempts"]:
        if attempt["left"]:
            text = (
                f"{len(attempt['left'])} processes are left of attempt {attempt['attempt']}, which has ended"
            )
            repair = ("stop", "--attempt", attempt["attempt"], "--grace", "5")
            return _finding("leftovers", patient, text, repair=repair)
    return _finding("leftovers", patient, "")


def _agent(patient: Patient) -> Finding:
    lost = [one["attempt"] for one in patient.health["attempts"] if one["state"] == "lost" and one["left"]]
    text = f"nobody watches {', '.join(lost)} any more, and it still runs: `tpuherd kill` ends it"
    return _finding("agent", patient, text if lost else "")


def _disk(patient: Patient) -> Finding:
    free = patient.health["disk"]["free_bytes"]
    text = f"{free / 2**20:.0f} MiB free: nothing is deleted here; see `du -xh ~ | sort -h | tail`"
    return _finding("disk", patient, text if free < DISK_BYTES else "")


def _clock(patient: Patient) -> Finding:
    ahead_s = patient.clock_ahead_s
    off_s = max(0.0, abs(ahead_s) - patient.clock_error_s)
    where = "ahead of" if ahead_s > 0 else "behind"
    text = (
        f"{abs(ahead_s):.0f} s {where} this machine: clocks are not set here; see `timedatectl` on the worker"
    )
    return _finding("clock", patient, text if off_s > CLOCK_S else "")


def _code(patient: Patient) -> Finding:
    text = "its folder is gone: `tpuherd rerun` sends it again"
    return _finding("code", patient, text if patient.code_there is False else "")


def _versions(patients: Sequence[Patient]) -> list[Finding]:
    """The workers that differ from most of the others."""
    told = {patient.worker: _told(patient) for patient in patients}
    usual = Counter(told.values()).most_common(1)[0][0] if told else ""
    texts = {worker: f"has {own}; the others {usual}" for worker, own in told.items() if own != usual}
    return [_finding("versions", patient, texts.get(patient.worker, "")) for patient in patients]


def _told(patient: Patient) -> str:
    return f"Python {patient.health['python']}, kernel {patient.health['kernel']}, {patient.packages}"


def _finding(check: str, patient: Patient, text: str, repair: tuple[str, ...] = ()) -> Finding:
    """A finding: without a text, all is well; with a repair, it can be repaired."""
    verdict = Verdict.OK if not text else Verdict.REPAIRABLE if repair else Verdict.PROBLEM
    return Finding(check=check, worker=patient.worker, verdict=verdict, text=text, repair=repair)


CHECKS: tuple[Callable[[Patient], Finding], ...] = (
    _mounts,
    _apt,
    _leftovers,
    _agent,
    _lock_file,
    _devices,
    _disk,
    _clock,
    _code,
)
"""In this order: what is repaired first may be the cause of what follows."""
