"""Pasts of jobs, written as lines `at attempt kind text`."""

from __future__ import annotations

from tpuherd.model.event import Event
from tpuherd.reporting.past import AttemptPast, JobPast

PRICE = 36.0
"""US dollars per hour: a cent a second."""


def attempt(number=1, **values):
    return AttemptPast(number=number, usd_per_h=PRICE, **values)


def past(story, *attempts, until=10_000.0, state="succeeded"):
    """A job that was created at 0."""
    return JobPast(
        job="job-0001",
        state=state,
        created_at=0.0,
        until=until,
        events=tuple(_event(line) for line in story.strip().splitlines()),
        attempts=attempts or (attempt(succeeded=True),),
    )


def _event(line):
    at, number, kind, text = [*line.split(None, 3), ""][:4]
    return Event(job_id="job-0001", attempt=int(number), kind=kind, text=text, at=float(at))


GOOD = """
    5 1 stage.started provision
    105 1 stage.ended provision: 4 workers
    105 1 stage.started prepare_env
    165 1 stage.ended prepare_env: venv
    165 1 stage.started sync_code
    167 1 stage.ended sync_code: snapshot
    167 1 stage.started run_workload
    170 1 workload.started on 4 workers
    1170 1 workload.ended on 4 workers
    1171 1 stage.ended run_workload: 4 of 4 workers succeeded
    1171 1 stage.started collect
    1181 1 stage.ended collect: 4 files
    1181 1 stage.started release
    1191 1 stage.ended release: everything given back
    1191 1 job.ended succeeded
"""
"""A job that succeeds at once."""

PREEMPTED = """
    0 1 stage.started provision
    100 1 stage.ended provision: 4 workers
    100 1 stage.started run_workload
    110 1 workload.started on 4 workers
    1110 1 workload.ended on 4 workers
    1112 1 stage.failed run_workload: 0 of 4 workers succeeded
    1114 1 diagnosis preempted: the API says PREEMPTED
    1114 1 recovery ReplaceSlice: replace the slices
    1114 1 stage.started release
    1124 1 stage.ended release: everything given back
    1130 2 stage.started provision
    1430 2 stage.ended provision: 4 workers
    1430 2 stage.started run_workload
    1440 2 workload.started on 4 workers
    1940 2 workload.ended on 4 workers
    1940 2 stage.ended run_workload: 4 of 4 workers succeeded
    1940 2 stage.started release
    1950 2 stage.ended release: everything given back
    1950 2 job.ended succeeded
"""
"""The example of docs/how-to/report.md: preempted after 1000 s of work, and then 500 s to the end."""
