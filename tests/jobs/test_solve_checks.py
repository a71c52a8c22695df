"""Each ailment: from what a worker said to what is said about it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tpuherd.solving.checks import examine
from tpuherd.solving.finding import Patient, Verdict

HEALTHY = {
    "clock": 0.0,
    "python": "3.10.12",
    "kernel": "6.2",
    "disk": {"free_bytes": 50 << 30, "total_bytes": 100 << 30},
    "broken_mounts": [],
    "own_mounts": [],
    "apt_holders": [],
    "tpu_lock": None,
    "device_holders": [],
    "attempts": [{"attempt": "job.1", "state": "exited", "left": []}],
}
PATIENT = Patient(
    worker=0,
    health=HEALTHY,
    clock_ahead_s=0.2,
    clock_error_s=0.3,
    code_there=True,
    packages="jax 0.10.2",
)
HOLDER = {"pid": 7, "command": "python train.py", "attempt": None, "devices": ["/dev/accel0"]}
RUNNING = {"attempt": "job.2", "state": "running", "left": []}
OWN = [{"path": "/mnt/lab", "state": "broken"}]
LOCK = {"path": "/tmp/libtpu_lockfile", "users": [{"pid": 7, "command": "python"}]}


def ailing(**health):
    """What is found on a worker that is well but for this."""
    found = examine([replace(PATIENT, health=HEALTHY | health)])
    return [one for one in found if one.verdict is not Verdict.OK]


def test_a_worker_that_is_well():
    assert {one.verdict for one in examine([PATIENT])} == {Verdict.OK}
    assert {one.verdict for one in examine([replace(PATIENT, code_there=None)])} == {Verdict.OK}
    assert examine([]) == []


@pytest.mark.parametrize(
    ("health", "check", "said"),
    [
        ({"broken_mounts": ["/mnt/data"]}, "mounts", "/mnt/data"),
        ({"broken_mounts": ["/mnt/data", "/mnt/lab"], "own_mounts": OWN}, "mounts", "answer: /mnt/data."),
        ({"apt_holders": [12, 13]}, "apt lock", "process 12, 13"),
        ({"device_holders": [HOLDER]}, "devices", "7 (python train.py)"),
        ({"disk": {"free_bytes": 100 << 20, "total_bytes": 1 << 40}}, "disk", "100 MiB free"),
        ({"attempts": [{"attempt": "job.1", "state": "lost", "left": [5]}]}, "agent", "nobody watches job.1"),
        ({"tpu_lock": LOCK}, "libtpu lock", "no attempt started"),
    ],
)
def test_what_is_only_said(health, check, said):
    found = {one.check: one for one in ailing(**health)}
    assert found[check].verdict is Verdict.PROBLEM
    assert said in found[check].text
    assert found[check].repair == ()


@pytest.mark.parametrize(
    ("health", "check", "repair"),
    [
        ({"tpu_lock": LOCK | {"users": []}}, "libtpu lock", ("unlock",)),
        ({"broken_mounts": ["/mnt/lab"], "own_mounts": OWN}, "mounts", ("remount",)),
        ({"own_mounts": [OWN[0], {"path": "/mnt/two", "state": "missing"}]}, "mounts", ("remount",)),
        (
            {"attempts": [{"attempt": "job.1", "state": "exited", "left": [5, 6]}]},
            "leftovers",
            ("stop", "--attempt", "job.1", "--grace", "5"),
        ),
    ],
)
def test_what_can_be_repaired(health, check, repair):
    (found,) = ailing(**health)
    assert (found.check, found.verdict, found.repair) == (check, Verdict.REPAIRABLE, repair)


def test_a_lock_that_is_in_use_is_none():
    assert ailing(tpu_lock=LOCK, attempts=[RUNNING]) == []


def test_a_device_of_an_attempt_is_where_it_belongs():
    assert ailing(device_holders=[HOLDER | {"attempt": "job.2"}]) == []


@pytest.mark.parametrize(("ahead_s", "said"), [(90.0, "90 s ahead of"), (-90.0, "90 s behind")])
def test_a_clock_that_is_off(ahead_s, said):
    found = examine([replace(PATIENT, clock_ahead_s=ahead_s)])
    assert said in next(one.text for one in found if one.check == "clock")


def test_a_slow_answer_is_no_wrong_clock():
    found = examine([replace(PATIENT, clock_ahead_s=8.0, clock_error_s=7.0)])
    assert {one.verdict for one in found} == {Verdict.OK}


def test_the_one_that_differs_is_named():
    others = [replace(PATIENT, worker=index) for index in (0, 1, 3)]
    found = examine([*others, replace(PATIENT, worker=2, packages="jax 0.9.0")])
    (odd,) = [one for one in found if one.verdict is not Verdict.OK]
    assert (odd.check, odd.worker) == ("versions", 2)
    assert "jax 0.9.0" in odd.text
    assert "jax 0.10.2" in odd.text


def test_code_that_is_gone():
    found = examine([replace(PATIENT, code_there=False)])
    assert [one.check for one in found if one.verdict is Verdict.PROBLEM] == ["code"]
