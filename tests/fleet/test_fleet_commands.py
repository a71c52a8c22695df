"""The `tpus` commands that look, in processes of their own, on a cloud that other people use, too."""

from __future__ import annotations

import json

import pytest

from .fleet_home import OTHER_ZONE, ZONE

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def busy(fleet):
    """Two of ada's, one of bob's, one of nobody's, in two zones; two have the same name."""
    fleet.ok("tpus.create", "v5e-8", "--zone", ZONE, "--name", "ada-1", "--ttl", "2h")
    fleet.ok("tpus.create", "v5e-1", "--zone", OTHER_ZONE, "--name", "twin", "--spot")
    fleet.make("twin", ZONE, owner="bob")
    fleet.make("ada-like", ZONE, "v5litepod-16")
    return fleet


def test_the_table_says_whose_what_where_and_how_much(busy):
    shown = busy.ok("tpus")
    for text in ("ada-1", "v5litepod-8", OTHER_ZONE, "READY", "bob", "9.60", "in 120 min", "spot"):
        assert text in shown
    assert f"4 TPUs, 26 chips ({OTHER_ZONE}: 1 v5e; {ZONE}: 25 v5e)" in shown


def test_filters(busy):
    assert set(busy.rows("v5e-8+")) == {"ada-1", "ada-like"}
    assert set(busy.rows("v4", "ada-*")) == {"ada-1", "ada-like"}
    assert set(busy.rows("--mine")) == {"ada-1", "twin"}
    assert busy.rows("--owner", "bob")["twin"]["zone"] == ZONE
    assert set(busy.rows("--mine", user="bob")) == {"twin"}
    assert busy.rows("--zone", OTHER_ZONE, "v*")["twin"]["owner"] == "ada"
    assert busy.rows("--state", "stopped") == {}
    assert busy.rows("--job", "none") == {}


def test_words_may_stand_before_and_after_options(busy):
    assert set(busy.rows("ada-1", "--zone", ZONE, "ada-like")) == {"ada-1", "ada-like"}


def test_a_row_for_scripts(busy):
    row = busy.rows("ada-1")["ada-1"]
    facts = ("kind", "chips", "owner", "mine", "usd_per_hour", "free", "tier", "workers", "job")
    assert [row[fact] for fact in facts] == ["node", 8, "ada", True, 9.6, True, "ondemand", 1, ""]
    assert 0 < row["expires_at"] - row["created_at"] < 7300
    assert row["labels"]["tpuherd-store"]


def test_wrong_words_are_refused_with_what_was_meant(busy):
    assert "did you mean 'v5p'" in busy.ends_with(3, "tpus", "v5x").stderr
    assert "did you mean 'READY'" in busy.ends_with(3, "tpus", "--state", "redy").stderr
    assert "did you mean 'ada-1'" in busy.ends_with(0, "tpus", "ada1").stderr
    assert "--every" in busy.ends_with(3, "tpus", "--watch", "--every", "0").stderr


def test_find_ends_with_a_code_of_its_own_when_there_is_none(busy):
    found = json.loads(busy.ok("tpus.find", "v5e-8", "--free", "--healthy", "--json"))
    assert [row["name"] for row in found["tpus"]] == ["ada-1"]
    assert "no such TPU" in busy.ends_with(14, "tpus.find", "v4", "v6e+").stderr


def test_what_others_reserved_is_not_free(busy):
    busy.ok("tpus.reserve", "ada-1", "--for", "30m", user="bob")
    try:
        assert busy.rows("ada-1")["ada-1"]["reserved_by"] == "bob"
        busy.ends_with(14, "tpus.find", "v5e-8", "--free")
        assert "reserved by bob" in busy.ends_with(10, "tpus.delete", "ada-1", "--yes").stderr
        busy.ok("tpus.find", "v5e-8", "--free", user="bob")
    finally:
        busy.ok("tpus.unreserve", "ada-1", user="bob")


def test_an_alias_is_a_name(busy):
    busy.ok("tpus.alias", "mine", f"twin@{OTHER_ZONE}")
    described = json.loads(busy.ok("tpus.describe", "mine", "--json"))
    assert (described["name"], described["zone"], described["aliases"]) == ("twin", OTHER_ZONE, ["mine"])
    assert set(busy.rows("mine")) == {"twin"}


def test_describe(busy):
    shown = busy.ok("tpus.describe", "ada-1")
    for text in ("v2-alpha-tpuv5-lite", "2x4", "tpuherd-owner", "w0", "none announced", "ssh-keys"):
        assert text in shown
    assert "ada-1" in busy.ends_with(10, "tpus.describe", "ada-2").stderr
    assert f"twin@{ZONE}" in busy.ends_with(10, "tpus.describe", "twin").stderr
    more = json.loads(busy.ok("tpus.describe", f"ada-like@{ZONE}", "--json"))
    assert len(more["endpoints"]) == 4
    assert more["maintenance_known"]


def test_quota_counts_what_is_used_and_says_that_limits_are_not_told(busy):
    done = busy.ends_with(0, "tpus.quota")
    assert "gcloud beta quotas info list" in done.stderr
    used = json.loads(busy.ok("tpus.quota", "--json"))["used"]
    assert [(u["zone"], u["generation"], u["tier"], u["chips"]) for u in used] == [
        (OTHER_ZONE, "v5e", "spot", 1),
        (ZONE, "v5e", "ondemand", 25),
    ]


def test_maintenance_of_nothing(busy):
    assert json.loads(busy.ok("tpus.maintenance", "--json")) == {"events": [], "unreachable": []}


def test_the_help_teaches(busy):
    shown = busy.ok("tpus", "--help")
    assert shown.startswith("Usage: tpuherd tpus [PATTERN …] [OPTIONS]")
    for text in ("v4+ (this generation or", "--watch", "TPUHERD_CLOUD"):
        assert text in shown


def test_without_a_cloud_that_runs(tmp_path, busy):
    words = [*busy.argv("tpus"), "--cloud", "emulator"]
    import subprocess

    environment = busy.environment() | {"TPUHERD_HOME": str(tmp_path)}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode
    assert "cloud.up" in done.stderr
    assert done.stdout == ""
