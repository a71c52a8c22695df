"""The commands about recoveries, as far as they need no cloud."""

from __future__ import annotations

import json

import pytest
from cases import failure
from scenes import record_of

from tpuherd import ExitCode, GiveUp, MoveZone, ReplaceSlice
from tpuherd.engine.reviving import consider
from tpuherd.engine.session import Session
from tpuherd.errors import ConfigError, StateError
from tpuherd.hooks import Hooks
from tpuherd.output.reporter import Reporter
from tpuherd.recovery.texts import diagnosis_text, recovery_text
from tpuherd.store.store import Store
from tpuherd.tasks.recovering import _by_hand


def test_policies_lists_and_explains_them(tpuherd_run):
    rows = json.loads(tpuherd_run("policies", "--json").stdout)
    assert {row["policy"] for row in rows} >= {"tiered", "rules", "failover", "give_up"}
    assert all(row["summary"] and row["text"] for row in rows)
    told = tpuherd_run("policies", "rules", "give-up").stdout
    assert "reapply" in told
    assert "The simplest recovery policy" in told
    wrong = tpuherd_run("policies", "tired")
    assert wrong.exit_code == ExitCode.JOB_FILE_WRONG
    assert "did you mean 'tiered'" in wrong.stderr


def test_policies_explains_a_module_of_ones_own(tpuherd_run, tmp_path, monkeypatch):
    (tmp_path / "my_policy").mkdir()
    text = '"""Ours."""\nfrom tpuherd import hookimpl\n@hookimpl\ndef recover(): return None\n'
    (tmp_path / "my_policy" / "nights.py").write_text(text)
    assert "cannot import 'my_policy.nights'" in tpuherd_run("policies", "my_policy.nights").stderr
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert tpuherd_run("policies", "my_policy.nights").stdout.startswith("Ours.\n")
    assert tpuherd_run("policies", "json.decoder").exit_code == ExitCode.JOB_FILE_WRONG


def test_actions_by_hand():
    assert _by_hand("", "") is None
    assert _by_hand("replace", "") == ReplaceSlice(reason="asked for with --action")
    assert _by_hand("move", "us-east1-d") == MoveZone(reason="asked for with --action", zone="us-east1-d")


@pytest.mark.parametrize(
    ("action", "zone", "problem"),
    [
        ("restrat", "", "did you mean 'restart'"),
        ("move", "", "go together"),
        ("", "us-east1-d", "go together"),
        ("replace", "us-east1-d", "go together"),
        ("move", "us-east1", "that is no zone; did you mean 'us-east1-"),
    ],
)
def test_actions_that_make_no_sense_are_refused_before_anything_happens(action, zone, problem):
    with pytest.raises(ConfigError) as caught:
        _by_hand(action, zone)
    assert problem in str(caught.value)


@pytest.fixture
def asked(tmp_path, job_factory, tpuherd_plugins):
    """What would be done about a job of a store; no cloud is there that could be asked."""
    store = Store(f"sqlite:///{tmp_path / 'tpuherd.sqlite'}")
    store.jobs.add(record_of("test-0000"))
    hooks = Hooks(tpuherd_plugins, job_factory().spec)
    session = Session(Reporter(), tmp_path / "known_hosts", lambda kind, text: None)

    def consider_it(diagnosis=None, recovery=None):
        if diagnosis:
            texts = {"diagnosis": diagnosis_text(diagnosis), "recovery": recovery_text(recovery)}
            store.recoveries.decide("test-0000", 1, at=1.0, **texts)
        return consider(store, hooks, store.jobs.get("test-0000"), session)

    yield consider_it
    session.close()
    store.engine.dispose()


def test_what_was_decided_is_told_and_not_asked_again(asked):
    found = asked(failure("hung"), MoveZone(reason="it was decided", zone="us-east1-d"))
    assert found.decided
    assert found.recovery == MoveZone(reason="it was decided", zone="us-east1-d")


def test_a_job_that_was_given_up_is_judged_by_its_old_diagnosis(asked):
    found = asked(failure("preempted", usable=False), GiveUp(reason="another policy then"))
    assert not found.decided
    assert found.recovery == ReplaceSlice(reason="replace the slices after preempted")


def test_a_job_that_has_not_begun_has_nothing_to_recover(asked):
    with pytest.raises(StateError, match="has not begun"):
        asked()
