"""Decisions while a workload runs: silence, hanging, the control plane's word, what lines tell."""

from __future__ import annotations

import threading
import time

import pytest
from clouded import eventually

from tpuherd import Presence, Progress, SliceObservation, WorkerSighting
from tpuherd.agent.answers import Beat, DeviceHolder, Status
from tpuherd.config.detection import DetectionSection
from tpuherd.observing.hanging import hung
from tpuherd.observing.hosts import host_of
from tpuherd.observing.reporting import Reports, reports_of
from tpuherd.observing.sighting import Sighting
from tpuherd.observing.silence import GONE_AFTER_S, LOST_AFTER_S, OFFLINE_AFTER_S, patience_s
from tpuherd.observing.view import ControlPlaneView


@pytest.mark.parametrize(
    ("slice_gone", "offline", "wanted"),
    [
        (False, False, LOST_AFTER_S),
        (True, False, GONE_AFTER_S),
        (False, True, OFFLINE_AFTER_S),
        (True, True, GONE_AFTER_S),
    ],
)
def test_silence_is_borne_longest_if_it_may_be_ours(slice_gone, offline, wanted):
    assert patience_s(slice_gone=slice_gone, offline=offline) == wanted


def seen(step_at=None, printed_at=None):
    progress = None if step_at is None else Progress(step=1, at=step_at)
    return WorkerSighting(worker=0, progress=progress, printed_at=printed_at)


@pytest.mark.parametrize(
    ("sightings", "after_s", "words"),
    [
        ([seen(step_at=90.0)], 5.0, "no step for 10 s"),
        ([seen(step_at=90.0, printed_at=99.0)], 5.0, "no step for 10 s"),
        ([seen(step_at=90.0), seen(step_at=98.0)], 5.0, ""),
        ([seen(printed_at=90.0), seen()], 5.0, "no output for 10 s"),
        ([seen(printed_at=90.0), seen(printed_at=99.0)], 5.0, ""),
        ([seen(step_at=90.0)], 10.0, ""),
        ([seen(step_at=90.0)], None, ""),
        ([seen()], 5.0, ""),
        ([], 5.0, ""),
    ],
)
def test_only_what_showed_something_can_hang(sightings, after_s, words):
    assert hung(sightings, 100.0, after_s).startswith(words)
    assert bool(hung(sightings, 100.0, after_s)) == bool(words)


def test_the_job_file_counts_before_the_workloads_word():
    own = Reports(step_pattern="own (.)", hung_after_s=60.0)
    assert reports_of(own, DetectionSection()) == own
    told = reports_of(own, DetectionSection(hung_after_s=5.0, checkpoint_pattern="saved (.)"))
    assert told == Reports(step_pattern="own (.)", checkpoint_pattern="saved (.)", hung_after_s=5.0)


def test_lines_tell_of_steps_and_checkpoints():
    sighting = Sighting(0, "job.1", Reports(step_pattern=r"step (\S+)", checkpoint_pattern=r"saved (\d+)"))
    sighting.line("loading")
    assert sighting.value.progress is None
    for line in ("step 1,200 loss 3", "saved 1100", "step nan", "step 1,200 again"):
        sighting.line(line)
    first = sighting.value.progress
    assert (first.step, first.checkpoint_step) == (1200, 1100)
    sighting.status(Status(attempt="job.1", state="running", progress={"total": 9000}))
    assert sighting.value.progress == Progress(
        step=1200, total=9000, at=first.at, checkpoint_step=1100, checkpoint_at=first.checkpoint_at
    )


def test_the_clock_is_corrected_by_the_fastest_beat():
    sighting = Sighting(0, "job.1", Reports())
    for delay_s in (3.0, 0.0, 7.0):
        sighting.beat(Beat(at=time.time() + 100.0 - delay_s))
    assert sighting.value.clock_ahead_s == pytest.approx(100.0, abs=0.5)
    sighting.status(Status(attempt="job.1", state="running", preemption_notice_at=time.time() + 100.0))
    assert sighting.value.preemption_notice_at == pytest.approx(time.time(), abs=1.0)


def test_its_own_processes_are_no_strangers_on_the_device():
    sighting = Sighting(0, "job.1", Reports())
    held = [
        DeviceHolder(pid=pid, command="x", attempt=attempt, devices=("/dev/accel0",))
        for pid, attempt in enumerate(["job.1", "other.1", None])
    ]
    sighting.status(Status(attempt="job.1", state="exited", device_holders=tuple(held)))
    assert sighting.value.device_holders == (
        "process 1 (x) of attempt other.1: /dev/accel0",
        "process 2 (x): /dev/accel0",
    )


def test_what_a_machine_says_is_read_and_nonsense_is_unknown():
    good = {
        "device_holders": [{"pid": 1, "command": "a", "attempt": "job.1", "devices": ["/dev/accel0"]}],
        "tpu_lock": {"path": "/tmp/libtpu_lockfile", "users": [{"pid": 2, "command": "b"}]},
        "disk": {"free_bytes": 7},
        "broken_mounts": ["/mnt"],
    }
    host = host_of(3, good, "job.1")
    assert host.device_holders == ("process 2 (b): /tmp/libtpu_lockfile",)
    assert (host.answered.value, host.free_bytes, host.broken_mounts) == ("yes", 7, ("/mnt",))
    assert host_of(3, None, "job.1").answered.value == "no"
    for wrong in ({}, good | {"disk": None}, good | {"device_holders": [1]}, good | {"tpu_lock": "x"}):
        assert host_of(3, wrong, "job.1").answered.value == "unknown"


def looking_at(*looks):
    """A view whose looks give these in turn, the last one for ever."""
    left, done = list(looks), threading.Event()

    def look():
        found = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(found, Exception):
            raise found
        done.set()
        return found

    view = ControlPlaneView(look)
    assert done.wait(20)
    return view


def piece(name, presence, state=""):
    return SliceObservation(node_id=name, presence=presence, state=state)


def test_only_an_explicit_word_says_that_a_slice_is_gone():
    view = looking_at(
        RuntimeError("a bug of a plugin says nothing"),
        [
            piece("a", Presence.PRESENT, "PREEMPTED"),
            piece("b", Presence.PRESENT, "READY"),
            piece("c", Presence.UNKNOWN),
            piece("d", Presence.ABSENT),
            piece("e", Presence.PRESENT, "REPAIRING"),
        ],
    )
    assert sorted(eventually(view.gone)) == ["a", "d"]
    assert view.answers
    view.close()


def test_a_control_plane_that_says_unknown_does_not_answer():
    view = looking_at([piece("c", Presence.PRESENT, "READY")], [piece("c", Presence.UNKNOWN)])
    eventually(lambda: view.exists)
    eventually(lambda: not view.answers)
    assert (view.exists, view.gone()) == (True, {})
    view.close()


def test_machines_without_a_control_plane_are_looked_at_once():
    looks = []

    def look():
        looks.append(1)
        return [piece("own", Presence.PRESENT)]

    view = ControlPlaneView(look)
    eventually(lambda: view.answers and not any(t.name == "control plane" for t in threading.enumerate()))
    assert (len(looks), view.exists, view.gone()) == (1, False, {})
