"""Where a run's time went."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from tpuherd.model.event import Event
from tpuherd.output import split
from tpuherd.output.split import TimeSplit, process_started_at, time_split


@pytest.fixture
def began(monkeypatch):
    """A process that started 100 s ago."""
    moment = time.time() - 100
    monkeypatch.setattr(split, "process_started_at", lambda: moment)
    return moment


def events(began, *rows):
    return [Event(job_id="j", attempt=1, kind=kind, text=text, at=began + at) for kind, text, at in rows]


RUN = (
    ("stage.started", "provision", 1),
    ("stage.ended", "provision: 4 workers", 4),
    ("stage.started", "prepare_env", 4),
    ("stage.ended", "prepare_env: venv", 14),
    ("workload.started", "on 4 workers", 20),
    ("workload.ended", "on 4 workers", 80),
)


def test_the_parts_are_the_whole(began):
    found = time_split(events(began, *RUN))
    assert found.provision_s == pytest.approx(3)
    assert found.environment_s == pytest.approx(10)
    assert found.workload_s == pytest.approx(60)
    assert found.total_s == pytest.approx(100, abs=1)
    assert found.own_s + found.workload_s + found.environment_s == pytest.approx(found.total_s)


def test_attempts_add_up(began):
    again = [(kind, text, at + 0.5) for kind, text, at in RUN[4:]]
    found = time_split(
        events(began, *RUN[:4], ("workload.started", "", 15), ("workload.ended", "", 17), *again)
    )
    assert found.workload_s == pytest.approx(62)


def test_what_an_earlier_process_did_is_not_ours(began):
    earlier = [(kind, text, at - 500) for kind, text, at in RUN]
    found = time_split(events(began, *earlier))
    assert (found.workload_s, found.environment_s, found.provision_s) == (0, 0, 0)


def test_a_start_without_an_end_and_an_end_without_a_start_count_for_nothing(began):
    found = time_split(
        events(
            began, ("workload.ended", "", 5), ("stage.started", "prepare_env", 6), ("workload.started", "", 9)
        )
    )
    assert (found.workload_s, found.environment_s) == (0, 0)


def test_it_reads_as_one_sum():
    text = str(TimeSplit(total_s=10, workload_s=5, environment_s=2, provision_s=1.5))
    assert text == "10.0 s = workload 5.0 + environment 2.0 + tpuherd 3.0 (of which provisioning 1.5)"


def test_the_start_of_this_process_includes_its_imports():
    before = time.time()
    code = (
        "import time; time.sleep(0.3); from tpuherd.output.split import process_started_at as p; print(p())"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert before - 0.05 < float(said) < before + 0.25
    assert process_started_at() < before
