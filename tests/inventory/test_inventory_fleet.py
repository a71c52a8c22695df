"""What `tpuherd tpus` knows about claims and reservations, and what it protects."""

from __future__ import annotations

import json

import pytest
from clouded import ZONE, eventually
from machines import record

from tpuherd.cloud.client import TpuApi, hang_up
from tpuherd.exit_codes import ExitCode
from tpuherd.store.aliases import MachineName
from tpuherd.store.reservations import Reservation
from tpuherd.store.store import open_store
from tpuherd_emulator.joining import visit

pytestmark = pytest.mark.slow

CLOUD = ("--cloud", "emulator")


@pytest.fixture
def fleet(tpuherd_run, tpuherd_home):
    """An emulated cloud with one TPU of ours, and the store of the commands."""
    assert tpuherd_run("cloud.up").exit_code == 0
    made = tpuherd_run("tpus.create", "v5e-8", "--zone", ZONE, "--name", "ours", *CLOUD)
    assert made.exit_code == 0, made.stderr
    store = open_store()
    yield tpuherd_run, store
    store.engine.dispose()
    hang_up()


def row(run):
    (found,) = json.loads(run("tpus", "--json", *CLOUD).stdout)["tpus"]
    return found


def test_a_claimed_machine_is_in_use_until_the_claim_ends(fleet):
    run, store = fleet
    assert row(run)["free"]
    store.jobs.add(record("user-0001"))
    store.claims.take("user-0001", [f"ours@{ZONE}"])
    used = row(run)
    assert (used["free"], used["job"], used["job_state"]) == (False, "user-0001", "live")
    assert "user-0001 live" in run("tpus", *CLOUD).stdout
    refused = run("tpus.delete", "ours", "--yes", *CLOUD)
    assert refused.exit_code == ExitCode.STATE_FORBIDS
    assert "job user-0001 uses ours@us-west4-a" in refused.stderr
    store.claims.give_back("user-0001")
    assert row(run)["free"]
    store.jobs.remove("user-0001")


def test_a_reservation_by_somebody_else_refuses_a_delete_unless_forced(fleet):
    run, store = fleet
    ada = Reservation(resource="ours", owner="ada", reason="demo", until=4e9, created_at=0.0)
    store.reservations.make(ada, MachineName(name="ours"), force=False)
    assert run("tpus.alias", "mine", f"ours@{ZONE}").exit_code == 0
    shown = row(run)
    assert (shown["free"], shown["reserved_by"], shown["aliases"]) == (False, "ada", ["mine"])
    refused = run("tpus.delete", "mine", "--yes", *CLOUD)
    assert refused.exit_code == ExitCode.STATE_FORBIDS
    assert "reserved by ada" in refused.stderr
    assert run("tpus.delete", "mine", "--yes", "--force", *CLOUD).exit_code == 0
    api = TpuApi(visit(), ZONE)
    eventually(lambda: api.get("get_node", "nodes/ours") is None)
