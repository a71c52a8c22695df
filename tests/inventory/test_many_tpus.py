"""Several TPUs in one command: made, taken up again, refused in part, deleted, waited for by listings."""

from __future__ import annotations

import json

import pytest
from clouded import ZONE

from tpuherd import ConfigError, ProvisionError
from tpuherd.cloud.labels import OWNER
from tpuherd.fleet import crowd
from tpuherd.fleet.deleting import targets
from tpuherd.fleet.new import NewTpu, order_new
from tpuherd.fleet.reading import read_fleet
from tpuherd.fleet.together import require
from tpuherd_emulator.joining import to_cloud

pytestmark = pytest.mark.slow

NEW = NewTpu(name="many", zone=ZONE, accelerator="v5litepod-1", labels={OWNER: "tester"})


def quiet(_text):
    pass


def made(cloud, orders, **more):
    options = {"wait": True, "timeout_s": 60.0, "note": quiet, **more}
    return crowd.make_all(cloud, orders, **options)


def names(fleet):
    return sorted(tpu.name for tpu in fleet.tpus)


def test_the_names_of_several():
    assert [one.name for one in crowd.several(NEW, 3)] == ["many-0", "many-1", "many-2"]
    with pytest.raises(ConfigError, match="at least 1"):
        crowd.several(NEW, 0)
    with pytest.raises(ConfigError, match="needs --name"):
        crowd.several(NewTpu(name="", zone=ZONE, accelerator="v5litepod-1", labels={}), 2)


def test_all_are_made_once_and_go_together(cloud):
    at = to_cloud(cloud.info)
    orders = [order_new(at, one) for one in crowd.several(NEW, 5)]
    first = made(at, orders[:2])
    assert not any(one.error for one in first)
    done = made(at, orders)
    assert sorted(one.what for one in done) == sorted(order.what for order in orders)
    fleet = read_fleet(at)
    assert names(fleet) == ["many-0", "many-1", "many-2", "many-3", "many-4"]
    assert {tpu.state for tpu in fleet.tpus} == {"READY"}

    few = targets(fleet.tpus[:3], fleet.tpus)
    require(crowd.remove_all(at, few, wait=True, timeout_s=60.0, note=quiet))
    assert names(read_fleet(at)) == ["many-3", "many-4"]
    again = crowd.remove_all(at, targets(fleet.tpus, fleet.tpus), wait=True, timeout_s=60.0, note=quiet)
    assert not any(one.error for one in again)
    assert names(read_fleet(at)) == []


def test_one_that_is_somebody_elses_does_not_keep_the_others_from_it(cloud):
    at = to_cloud(cloud.info)
    theirs = NewTpu(name="many-1", zone=ZONE, accelerator="v5litepod-1", labels={OWNER: "ada"})
    made(at, [order_new(at, theirs)])
    done = made(at, [order_new(at, one) for one in crowd.several(NEW, 3)])
    wrong = {one.what: one.error for one in done if one.error}
    assert list(wrong) == [f"node many-1@{ZONE}"]
    assert "is not yours" in wrong[f"node many-1@{ZONE}"]
    with pytest.raises(ProvisionError, match="1 of 3 did not work"):
        require(done)
    fleet = read_fleet(at)
    assert names(fleet) == ["many-0", "many-1", "many-2"]
    require(crowd.remove_all(at, targets(fleet.tpus, fleet.tpus), wait=True, timeout_s=60.0, note=quiet))


def test_queued_ones_are_waited_for_too(cloud):
    at = to_cloud(cloud.info)
    new = NewTpu(name="queued", zone=ZONE, accelerator="v5litepod-1", labels={OWNER: "tester"}, queued=True)
    require(made(at, [order_new(at, one) for one in crowd.several(new, 2)]))
    fleet = read_fleet(at)
    assert [(tpu.queued_resource, tpu.state) for tpu in fleet.tpus] == [
        ("queued-0", "READY"),
        ("queued-1", "READY"),
    ]
    require(crowd.remove_all(at, targets(fleet.tpus, fleet.tpus), wait=True, timeout_s=60.0, note=quiet))
    assert names(read_fleet(at)) == []


def test_the_command(tpuherd_run):
    assert tpuherd_run("cloud.up", "--workers", "none").exit_code == 0
    at = ("--cloud", "emulator")
    create = ("tpus.create", "v5e-16", "--zone", ZONE, "--count", "4", "--name", "c", "--json", *at)
    done = tpuherd_run(*create)
    assert done.exit_code == 0, done.stderr
    assert [one["name"] for one in json.loads(done.stdout)] == ["c-0", "c-1", "c-2", "c-3"]
    assert tpuherd_run("tpus.delete", "c-0", "c-1", "c-2", "c-3", "--yes", *at).exit_code == 0
    assert json.loads(tpuherd_run("tpus", "--json", *at).stdout)["tpus"] == []
