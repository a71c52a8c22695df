"""What is said about a stage that is done, and about one that is done and yet no success."""

from __future__ import annotations

import pytest
from store_records import job_record

from tpuherd.engine.recorder import Recorder
from tpuherd.engine.stages import Stage
from tpuherd.model.outcome import ExitKind, WorkerExit, WorkloadExit
from tpuherd.store.records import StageState


def ended(*codes):
    ends = [
        WorkerExit(worker=i, kind=ExitKind.EXITED, code=code, ended_at=1.0) for i, code in enumerate(codes)
    ]
    return WorkloadExit(workers=tuple(ends))


@pytest.mark.parametrize(
    ("codes", "kind", "text"),
    [
        ((0, 0), "stage.ended", "run_workload: 2 of 2 workers succeeded"),
        ((0, 3), "stage.failed", "run_workload: 1 of 2 workers succeeded"),
    ],
)
def test_a_workload_that_failed_is_no_success_though_its_stage_is_recorded(
    store, job_factory, codes, kind, text
):
    store.jobs.add(job_record("test-0000"))
    recorder = Recorder(store.stages, job_factory())
    assert recorder.once(Stage.RUN_WORKLOAD, lambda: ended(*codes)) == ended(*codes)
    assert [(e.kind, e.text) for e in job_factory.events] == [
        ("stage.started", "run_workload"),
        (kind, text),
    ]
    assert recorder.row(Stage.RUN_WORKLOAD).state is StageState.DONE
