"""What is shown of a fleet."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from store_records import job_record

from tpuherd.manager import make_plugin_manager
from tpuherd.members.changes import Changes
from tpuherd.members.table import columns, drawn, rows, summary, totals
from tpuherd.members.view import FleetView, MemberView
from tpuherd.members.watch import MemberWatch, counted
from tpuherd.store.records import JobState

RUNS = MemberView(
    job="acts-1f3a-w000",
    owner="ada",
    attempt=2,
    state="live",
    stage="run_workload",
    driver="me",
    zone="us-west4-a",
    step=7,
    total=20,
    eta_s=30.0,
    cost_usd=1.5,
    counts={"shards": 4, "tokens": 4000, "uploaded_bytes": 3 << 20},
    count_rate_per_s=50.0,
)
GETS = MemberView(
    job="acts-1f3a-w001", owner="ada", attempt=1, state="live", stage="provision", driver="me", cost_usd=0.0
)
LOST = replace(
    RUNS,
    job="acts-1f3a-w002",
    stage="ReplaceSlice",
    recovering=True,
    step=9,
    eta_s=None,
    count_rate_per_s=None,
    error="preempted",
)
FLEET = FleetView(fleet="acts-1f3a", at=0.0, members=(RUNS, GETS, LOST))


def test_totals_are_those_of_the_members_and_the_work_is_as_far_as_who_knows_most():
    assert FLEET.done == (9, 20)
    assert FLEET.counts == {"shards": 8, "tokens": 8000, "uploaded_bytes": 6 << 20}
    assert (FLEET.cost_usd, FLEET.count_rate_per_s, FLEET.eta_s) == (3.0, 50.0, 30.0)
    assert FLEET.health == {"healthy": 1, "working": 2, "needs_recovery": 1}
    assert json.loads(json.dumps(FLEET.as_json()))["totals"]["step"] == 9
    unknown = FleetView(fleet="f", at=0.0, members=(replace(RUNS, cost_usd=None), GETS))
    assert unknown.cost_usd is None


@pytest.mark.parametrize(
    ("view", "well"),
    [
        (replace(RUNS, driver=""), (False, False, True)),
        (replace(RUNS, state="failed", ended=True, driver=""), (False, False, True)),
        (replace(RUNS, state="succeeded", ended=True, driver=""), (True, False, False)),
        (replace(GETS), (False, True, False)),
    ],
)
def test_who_is_well(view, well):
    assert (view.healthy, view.working, view.needs_recovery) == well


def test_the_table_has_what_members_count_in_the_middle():
    assert columns(FLEET)[4:8] == ("shards", "tokens", "uploaded", "tokens/s")
    assert totals(FLEET)[4:8] == ("8", "8,000", "6.0 MiB", "50/s")
    assert rows(FLEET)[1][4:7] == ("", "", "")
    assert "9 of 20 done (45%)" in summary(FLEET)
    assert "healthy 1, working 2, needs recovery 1; ETA 30 s" in summary(FLEET)
    console = Console(width=160)
    with console.capture() as text:
        console.print(drawn(FLEET, [RUNS, LOST], LOST.job))
    assert "w002" in text.get()
    assert "w001" not in text.get(), "it has no room"
    assert "8,000" in text.get()


def test_without_a_terminal_there_is_a_line_for_what_changes():
    said = []
    changes = Changes(said.append)
    for _ in range(2):
        changes.note(FLEET)
    assert said[0] == "acts-1f3a-w000: run_workload in us-west4-a, attempt 2"
    assert said[2] == "acts-1f3a-w002: ReplaceSlice in us-west4-a, attempt 2 (preempted)"
    assert len(said) == 4
    changes.note(
        FleetView(fleet="acts-1f3a", at=0.0, members=(replace(RUNS, state="succeeded", ended=True),))
    )
    assert said[4] == "acts-1f3a-w000: succeeded"


def test_counts_of_earlier_attempts_are_kept_and_errors_that_were_overcome_are_not_shown(store, tmp_path):
    folder = tmp_path / "jobs/acts-1f3a-w000"
    for attempt, tokens in ((1, 100), (2, 20)):
        (folder / f"attempt-{attempt}").mkdir(parents=True)
        sample = [{"at": 1.0, "step": 1, "total": 2, "counts": {"tokens": tokens}}]
        (folder / f"attempt-{attempt}/progress.json").write_text(json.dumps(sample))
    (folder / "attempt-2/heard").write_text("12.5")
    assert counted(folder) == {"tokens": 120}
    record = replace(
        job_record("acts-1f3a-w000", "acts-w000"),
        directory=str(folder),
        fleet="acts-1f3a",
        attempt=2,
        overrides=["tpu.zones=[us-west4-a, us-central1-a]"],
    )
    store.jobs.add(replace(record, attempt=1))
    store.jobs._update(record.id, attempt=2)
    watch = MemberWatch(store, make_plugin_manager())
    (view,) = watch.fleet([record]).members
    assert (view.zone, view.heard_at, view.counts, view.error) == ("us-west4-a", 12.5, {"tokens": 120}, "")
    failed = replace(record, state=JobState.FAILED, message="w0 failed\nmore")
    assert MemberWatch(store, make_plugin_manager()).view(failed).error == "w0 failed"
    assert Path(folder, "attempt-1").is_dir()
