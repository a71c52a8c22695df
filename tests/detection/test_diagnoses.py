"""What was seen, to what it means: with all shipped plugins, as values."""

from __future__ import annotations

import pytest
from seen import JAX_SAYS, MANAGER, ended, observed, piece, workload

from tpuherd import (
    EndedBy,
    ExitKind,
    FailureClass,
    HostObservation,
    Presence,
    QueueObservation,
    Symptom,
    WorkerSighting,
)
from tpuherd.hooks import Hooks
from tpuherd.observing.weighing import weigh
from tpuherd.testing import JobFactory

STOPPED = {"kind": ExitKind.STOPPED, "code": 15}
LOST = {"kind": ExitKind.LOST, "code": None}
UNKNOWN = piece("", Presence.UNKNOWN, detail="UNAVAILABLE")
TOLD = WorkerSighting(worker=0, preemption_notice_at=90.0)
HBM = "XlaRuntimeError: RESOURCE_EXHAUSTED: Ran out of memory in memory space hbm. Used 18G of 15G hbm"
GLOO = "JaxRuntimeError: Gloo all-reduce failed: Read error: Connection reset by peer"


@pytest.fixture
def diagnose(tmp_path):
    job = JobFactory(MANAGER, tmp_path)()
    hooks = Hooks(MANAGER, job.spec)
    return lambda seen: weigh(hooks.detect_failure(job=job, observation=seen))


CASES = {
    "an exit code alone": (observed(workload(ended(0))), FailureClass.USER_ERROR, 0),
    "the API says preempted, the logs only what follows from it": (
        observed(
            workload(ended(0, code=134), ended(1, **LOST)), slices=(piece("PREEMPTED"),), logs=[(0, GLOO)]
        ),
        FailureClass.PREEMPTED,
        None,
    ),
    "a notice, while the API still says READY": (
        observed(
            workload(ended(0, **STOPPED), ended(1, code=1), ended_by=EndedBy.NOTICE, sightings=(TOLD,)),
            slices=(piece(),),
            logs=[(1, "ValueError: interrupted")],
        ),
        FailureClass.PREEMPTED,
        0,
    ),
    "suspended by the service": (
        observed(
            workload(ended(0, **LOST)),
            slices=(
                piece(
                    "",
                    Presence.ABSENT,
                    queue=QueueObservation(
                        queued_resource_id="q",
                        presence=Presence.PRESENT,
                        state="SUSPENDED",
                        initiator="SERVICE",
                    ),
                ),
            ),
        ),
        FailureClass.PREEMPTED,
        None,
    ),
    "terminated": (
        observed(workload(ended(0, **LOST)), slices=(piece("TERMINATED"),)),
        FailureClass.MAINTENANCE,
        None,
    ),
    "in repair": (
        observed(workload(ended(0, **LOST)), slices=(piece("REPAIRING"),)),
        FailureClass.HOST_FAULT,
        0,
    ),
    "unhealthy because of maintenance": (
        observed(workload(ended(0, **LOST)), slices=(piece(health="UNHEALTHY_MAINTENANCE"),)),
        FailureClass.MAINTENANCE,
        None,
    ),
    "went away, the API says READY": (
        observed(workload(ended(0, **STOPPED), ended(1, **LOST)), slices=(piece(),)),
        FailureClass.HOST_FAULT,
        1,
    ),
    "went away, the API is down": (
        observed(workload(ended(1, **LOST)), slices=(UNKNOWN,)),
        FailureClass.HOST_FAULT,
        1,
    ),
    "one died, the other of its death and earlier by its own fast clock": (
        observed(
            workload(ended(0, code=134, at=100.0, log=JAX_SAYS), ended(1, code=3, at=100.2)),
            logs=[(0, JAX_SAYS)],
        ),
        FailureClass.NETWORK,
        1,
    ),
    "HBM, and the others of it": (
        observed(workload(ended(0, code=134, log=JAX_SAYS), ended(1)), logs=[(0, JAX_SAYS), (1, HBM)]),
        FailureClass.DEVICE_OUT_OF_MEMORY,
        1,
    ),
    "the API's symptom of HBM": (
        observed(
            workload(ended(0)), slices=(piece(symptoms=(Symptom(kind="HBM_OUT_OF_MEMORY", slice_worker=0),)),)
        ),
        FailureClass.DEVICE_OUT_OF_MEMORY,
        0,
    ),
    "killed, and the kernel counts it": (
        observed(
            workload(ended(0, ExitKind.SIGNALLED, 9), sightings=(WorkerSighting(worker=0, oom_kills=1),))
        ),
        FailureClass.HOST_OUT_OF_MEMORY,
        0,
    ),
    "137 of a child, nothing counted anywhere": (
        observed(workload(ended(0, code=137))),
        FailureClass.HOST_OUT_OF_MEMORY,
        0,
    ),
    "killed by somebody else than the kernel": (
        observed(
            workload(ended(0, ExitKind.SIGNALLED, 9), sightings=(WorkerSighting(worker=0, oom_kills=0),))
        ),
        FailureClass.UNKNOWN,
        0,
    ),
    "no memory, in Python": (
        observed(workload(ended(2)), logs=[(2, "MemoryError")]),
        FailureClass.HOST_OUT_OF_MEMORY,
        2,
    ),
    "a stranger holds the device": (
        observed(
            workload(ended(0)),
            hosts=(HostObservation(worker=0, device_holders=("process 7 (x): /dev/accel0",)),),
        ),
        FailureClass.DIRTY_DEVICE,
        0,
    ),
    "busy at the start": (
        observed(error="w1: TPU device busy: pid 7 (x) holds /dev/accel0"),
        FailureClass.DIRTY_DEVICE,
        None,
    ),
    "a full disk": (
        observed(workload(ended(0)), hosts=(HostObservation(worker=0, free_bytes=5),)),
        FailureClass.HOST_FAULT,
        0,
    ),
    "hung": (
        observed(workload(ended(0, **STOPPED), ended_by=EndedBy.HANG, why="no step for 60 s")),
        FailureClass.HUNG,
        None,
    ),
    "a segmentation fault": (
        observed(workload(ended(0, ExitKind.SIGNALLED, 11))),
        FailureClass.HOST_FAULT,
        0,
    ),
    "a traceback": (observed(workload(ended(0)), logs=[(0, "ValueError: no")]), FailureClass.USER_ERROR, 0),
    "refused: no capacity": (
        observed(refusal="no capacity", error="CloudRefused"),
        FailureClass.STOCKOUT,
        None,
    ),
    "refused: quota": (observed(refusal="quota", error="CloudRefused"), FailureClass.QUOTA, None),
    "refused: permission": (
        observed(refusal="permission", error="CloudRefused"),
        FailureClass.AUTHORIZATION,
        None,
    ),
    "no credentials, in the work": (
        observed(workload(ended(0)), logs=[(0, "google.auth.exceptions.DefaultCredentialsError: x")]),
        FailureClass.AUTHORIZATION,
        0,
    ),
    "SSH in preparation": (
        observed(error="ssh: connect to host 10.0.0.2 port 22: Connection refused"),
        FailureClass.NETWORK,
        None,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_case_has_its_class_and_its_worker(diagnose, name):
    seen, failure, worker = CASES[name]
    diagnosis = diagnose(seen)
    assert (diagnosis.failure, diagnosis.blamed_worker) == (failure, worker), diagnosis
    assert diagnosis.evidence
    assert 0 < diagnosis.confidence <= 0.99


def test_nothing_known_is_no_opinion(diagnose):
    assert diagnose(observed(error="?")) is None
    assert diagnose(observed(error="", slices=(UNKNOWN,))) is None


def test_an_api_that_is_down_says_nothing(diagnose):
    known = observed(workload(ended(0)))
    unknown = observed(workload(ended(0)), slices=(UNKNOWN,))
    assert diagnose(known) == diagnose(unknown)


def test_a_single_worker_that_died_of_another_is_blamed_if_nobody_else_is_there(diagnose):
    seen = observed(
        workload(ended(0, code=134, log=JAX_SAYS, at=2.0), ended(1, code=134, log=JAX_SAYS, at=1.0)),
        logs=[(0, JAX_SAYS), (1, JAX_SAYS)],
    )
    diagnosis = diagnose(seen)
    assert (diagnosis.failure, diagnosis.blamed_worker) == (FailureClass.NETWORK, 1)


def test_the_order_of_ends_is_that_of_one_clock():
    end = workload(ended(0, at=100.0, ahead_s=-5.0), ended(1, at=104.0, ahead_s=2.0))
    assert end.first_failure.worker == 1


def test_evidence_names_row_and_place_and_others_come_after_it(diagnose):
    seen = observed(workload(ended(1)), logs=[(1, HBM)], slices=(piece(health="TIMEOUT"),))
    diagnosis = diagnose(seen)
    assert diagnosis.failure is FailureClass.DEVICE_OUT_OF_MEMORY
    assert diagnosis.evidence[0] == f"line 1 of w1's log: {HBM} [hbm-oom]"
    assert any(text.startswith("besides (host-fault): ") for text in diagnosis.evidence[1:])
    assert (diagnosis.detector, diagnosis.action) == ("hbm-oom", "needs less memory per chip; do not retry")
