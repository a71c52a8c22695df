"""Reservations and aliases: made, shown, over, taken over; from the store and from the command line."""

from __future__ import annotations

import getpass
import json
import time
from dataclasses import replace

import pytest

from tpuherd.errors import ConfigError, StateError
from tpuherd.exit_codes import ExitCode
from tpuherd.store.aliases import Alias, MachineName, parse_name, resolve_alias
from tpuherd.store.reservations import Reservation
from tpuherd.store.store import open_store

A = MachineName(name="a", zone="us-west4-a")


def reservation(resource="a@us-west4-a", owner="ada", lasts_s=600.0, reason=""):
    now = time.time()
    return Reservation(resource=resource, owner=owner, reason=reason, until=now + lasts_s, created_at=now)


def reserve(store, *, force=False, **values):
    new = reservation(**values)
    store.reservations.make(new, parse_name(new.resource), force=force)
    return new


def test_it_keeps_others_out_and_the_owner_in(store):
    reserve(store, reason="for the demo")
    assert store.reservations.against(A, "ada") is None
    with pytest.raises(
        StateError, match=r"a@us-west4-a is reserved by ada for another 10 min \(for the demo\)"
    ):
        store.reservations.require_free(A, "bob")
    store.reservations.require_free(replace(A, zone="us-east1-d"), "bob")


@pytest.mark.parametrize(
    ("resource", "machine", "covered"),
    [
        ("a", A, True),
        ("a@us-west4-a", MachineName(name="a"), True),
        ("a@us-west4-a", A, True),
        ("a@us-west4-b", A, False),
        ("b", A, False),
        ("ab", A, False),
    ],
)
def test_which_machines_it_is_about(resource, machine, covered):
    assert reservation(resource=resource).covers(machine) is covered


def test_when_its_time_is_over_it_counts_for_nothing(store):
    reserve(store, lasts_s=0.0)
    assert store.reservations.all() == []
    store.reservations.require_free(A, "bob")
    with pytest.raises(StateError, match="not reserved"):
        store.reservations.drop(A, "ada", force=False)
    mine = reserve(store, owner="bob")
    assert store.reservations.all() == [mine]


def test_ones_own_is_made_anew_and_others_only_by_force(store):
    reserve(store)
    longer = reserve(store, lasts_s=6000.0)
    assert store.reservations.all() == [longer]
    for resource in ("a@us-west4-a", "a"):
        with pytest.raises(StateError, match=r"reserved by ada.*only they"):
            reserve(store, resource=resource, owner="bob")
    assert store.reservations.all() == [longer]
    taken = reserve(store, resource="a", owner="bob", force=True)
    assert store.reservations.all() == [taken]


def test_only_the_owner_gives_it_back(store):
    mine = reserve(store)
    with pytest.raises(StateError, match="reserved by ada"):
        store.reservations.drop(A, "bob", force=False)
    assert store.reservations.all() == [mine]
    assert store.reservations.drop(A, "ada", force=False) == [mine]
    reserve(store)
    assert len(store.reservations.drop(MachineName(name="a"), "bob", force=True)) == 1


def test_an_alias_stands_for_a_machine(store):
    store.aliases.make(Alias(alias="big", resource="a", zone="us-west4-a", owner="ada"), force=False)
    assert resolve_alias(store, "big") == A
    assert resolve_alias(store, "b@us-east1-d") == MachineName(name="b", zone="us-east1-d")
    with pytest.raises(StateError, match="ada's and stands for a@us-west4-a"):
        store.aliases.make(Alias(alias="big", resource="b", zone="", owner="bob"), force=False)
    store.aliases.make(Alias(alias="big", resource="b", zone="", owner="bob"), force=True)
    assert resolve_alias(store, "big") == MachineName(name="b")
    with pytest.raises(StateError, match="bob's"):
        store.aliases.drop("big", "ada", force=False)
    store.aliases.drop("big", "bob", force=False)
    assert resolve_alias(store, "big") == MachineName(name="big")
    with pytest.raises(StateError, match=r"no alias 'big'"):
        store.aliases.drop("big", "bob", force=False)


@pytest.mark.parametrize("word", ["", "a b", "a@", "a@nowhere", "-a", "a@us-west4-a@b", "a" * 64])
def test_what_is_no_name(word):
    with pytest.raises(ConfigError, match="no name of a TPU"):
        parse_name(word)


def test_what_cannot_be_an_alias(store):
    with pytest.raises(ConfigError, match="cannot be an alias"):
        store.aliases.make(Alias(alias="a@b", resource="a", zone="", owner="ada"), force=False)


@pytest.mark.slow
def test_the_commands(tpuherd_run, tpuherd_home):
    def ok(*words):
        done = tpuherd_run(*words)
        assert done.exit_code == 0, done.stderr
        return done.stdout

    me = getpass.getuser()
    assert "big" in ok("tpus.alias", "big", "a@us-west4-a")
    ok("tpus.reserve", "big", "--for", "2h", "--note", "for the demo")
    (shown,) = json.loads(ok("tpus.reservations", "--json"))
    assert (shown["resource"], shown["owner"], shown["reason"]) == ("a@us-west4-a", me, "for the demo")
    assert 7000 < shown["until"] - time.time() <= 7200
    assert "for the demo" in ok("tpus.reservations")

    store = open_store()  # the same as that of the commands
    reserve(store, resource="b", owner="somebody-else")
    store.engine.dispose()
    assert "somebody-else" in ok("tpus.reservations")
    assert "somebody-else" not in ok("tpus.reservations", "--mine")
    for words in (("tpus.reserve", "b"), ("tpus.unreserve", "b")):
        refused = tpuherd_run(*words)
        assert refused.exit_code == ExitCode.STATE_FORBIDS
        assert "b is reserved by somebody-else" in refused.stderr
    ok("tpus.unreserve", "b", "--force")
    ok("tpus.unreserve", "big")
    assert json.loads(ok("tpus.reservations", "--json")) == []

    (shown,) = json.loads(ok("tpus.aliases", "--json"))
    assert shown == {"alias": "big", "resource": "a", "zone": "us-west4-a", "owner": me}
    ok("tpus.unalias", "big")
    assert json.loads(ok("tpus.aliases", "--json")) == []
    wrong = tpuherd_run("tpus.reserve", "a", "--for", "soon")
    assert wrong.exit_code == ExitCode.JOB_FILE_WRONG
    assert "--for=soon" in wrong.stderr
