"""Fleets as job files and rows: who is a member, what is made once, who is meant, what ends the others."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from store_records import job_record

from tpuherd.config.load import load_job
from tpuherd.engine.tenure import stop_reason
from tpuherd.errors import Finished, StateError
from tpuherd.exit_codes import ExitCode
from tpuherd.manager import make_plugin_manager
from tpuherd.members.finding import members_meant
from tpuherd.members.following import worst
from tpuherd.members.making import find_or_create_members
from tpuherd.members.planning import members_of
from tpuherd.store.records import JobState

FILE = """
job: {name: acts}
cloud: emulator
tpu: {accelerator: v5litepod-8, zones: [us-west4-a, us-central1-a], pricing: spot}
fleet: {members_per_zone: 2}
command: {cmd: 'true'}
"""


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setenv("TPUHERD_HOME", str(tmp_path / "home"))
    (tmp_path / "acts.yaml").write_text(FILE)
    return tmp_path / "acts.yaml"


@pytest.fixture
def read(path):
    from tpuherd.hooks import GlobalHooks

    sections = GlobalHooks(make_plugin_manager()).config_sections()
    return lambda overrides=(): load_job(path, sections, overrides)


@pytest.fixture
def make(store, read):
    """Make the fleet of the file, or find it."""
    return lambda overrides=(): find_or_create_members(
        store,
        read(overrides),
        lambda more: read([*more]),
        overrides,
        keep=False,
    )


def test_members_are_jobs_of_the_same_file_in_turn_over_the_zones(read):
    members = members_of(read().spec)
    assert [one.name for one in members] == ["acts-w000", "acts-w001", "acts-w002", "acts-w003"]
    specs = [read(one.overrides).spec for one in members]
    assert [spec.tpu.zones for spec in specs] == [("us-west4-a",), ("us-central1-a",)] * 2
    assert [(spec.fleet.member, spec.fleet.members) for spec in specs] == [(n, 4) for n in range(4)]
    assert not any(spec.whole_fleet for spec in specs)
    assert members_of(specs[0]) == []


def test_members_that_may_move_try_their_own_zone_first(read):
    members = members_of(read(["fleet.move=true"]).spec)
    assert [one.zones for one in members[:2]] == [
        ("us-west4-a", "us-central1-a"),
        ("us-central1-a", "us-west4-a"),
    ]


def test_a_second_run_finds_what_the_first_has_made_and_makes_what_is_missing(make, store):
    first = make()
    assert len({one.fleet for one in first}) == 1
    assert [one.id for one in first] == [f"{first[0].fleet}-w00{n}" for n in range(4)]
    store.jobs.remove(first[2].id)  # whoever made them was killed in the middle
    store.jobs.end(first[3].id, JobState.SUCCEEDED, 0, "")
    assert [one.id for one in make()] == [one.id for one in first]
    for one in first[:3]:
        store.jobs.end(one.id, JobState.SUCCEEDED, 0, "")
    assert {one.fleet for one in make()} != {first[0].fleet}, "all had ended: this is a new fleet"


@pytest.mark.parametrize("change", ["tpu.pricing=ondemand", "fleet.members_per_zone=1"])
def test_another_file_is_refused_while_the_fleet_lives(make, store, change):
    make()
    with pytest.raises(StateError, match="live"):
        make([change])
    assert len(store.jobs.all()) == 4


def test_commands_for_one_job_refuse_a_fleet(path, tpuherd_run):
    refused = tpuherd_run("provision", "--job", path)
    assert refused.exit_code == 3
    assert "this command is for single jobs" in refused.stderr
    tested = tpuherd_run("run", path, "--test-restart", "--restored", "x")
    assert tested.exit_code == 3
    assert "describes a fleet" in tested.stderr


def test_the_plan_tells_of_members_and_of_the_steps_of_one(path, tpuherd_run):
    shown = json.loads(tpuherd_run("plan", path, "--json").stdout)
    assert shown["members"] == "4, in turn over us-west4-a, us-central1-a"
    places = [(place["members"], place["zone"], place["chips of each"]) for place in shown["placements"]]
    assert places == [(2, "us-west4-a", 8), (2, "us-central1-a", 8)]
    (asked,) = [step["action"] for step in shown["steps"] if "CreateNode" in step["action"]]
    assert "acts-… in us-west4-a" in asked, "a member does not try the zones of others"


def test_fleets_are_meant_by_id_and_by_name(make, store):
    fleet = make()[0].fleet
    for word in ("acts", fleet):
        assert len(members_meant(store.jobs.all(), word)) == 4
    assert members_meant(store.jobs.all(), f"{fleet}-w000") == []
    newer = replace(job_record("acts-ffff", "acts"), created_at=9e9)
    store.jobs.add(newer)
    assert members_meant(store.jobs.all(), "acts") == [], "a newer job of that name is meant"


def test_who_has_done_the_work_ends_the_others(make, store):
    first, *others = make()
    store.wishes.pause(others[0].id, "pause")
    store.jobs.want(others[1].id, "cancel")
    store.jobs.end(others[2].id, JobState.FAILED, 8, "")
    store.jobs.add(job_record("other-0001"))
    store.wishes.finish_others(first.fleet, first.id)
    wanted = {one.id: one.wanted for one in store.jobs.all()}
    assert [wanted[one.id] for one in (first, *others)] == ["run", "finish", "cancel", "run"]
    assert wanted["other-0001"] == "run"
    why = stop_reason(store.jobs.get(others[0].id))
    assert isinstance(why, Finished)
    assert why.exit_code == ExitCode.SUCCESS


def test_the_worst_member_counts(make):
    members = make()
    ends = [(JobState.SUCCEEDED, 0), (JobState.FAILED, 8), (JobState.CANCELLED, 130), (JobState.FAILED, 5)]
    rows = [
        replace(one, state=state, exit_code=code) for one, (state, code) in zip(members, ends, strict=True)
    ]
    assert worst(rows[:1]) == 0
    assert worst([rows[1], rows[3]]) == 8
    assert worst(rows) == 130
    assert worst([replace(rows[0], state=JobState.PAUSED, exit_code=None)]) == ExitCode.PAUSED


@pytest.mark.slow
def test_where_no_supervisor_can_start_a_run_says_so_and_ends(path, herd):
    herd.variables["TPUHERD_SUPERVISOR_IDLE_S"] = "soon"
    said = herd.ends_with(10, "run", path, "--override", "fleet.members_per_zone=1").stderr
    assert "nobody drives acts-" in said
    assert "TPUHERD_SUPERVISOR_IDLE_S" in (herd.home / "supervisor.log").read_text()
    herd.variables["TPUHERD_SUPERVISOR_IDLE_S"] = "0.5"
    herd.ok("cancel", "acts")
    assert {one["state"] for one in json.loads(herd.ok("list", "--fleet", "acts", "--json"))} == {"cancelled"}
    assert herd.ends_with(10, "list", "--fleet", "other").stderr
