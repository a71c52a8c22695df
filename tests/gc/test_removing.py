"""Between a look and a deletion the world may change."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest
from herd import wait_for

from tpuherd.cleanup.removing import Fortune, Remover
from tpuherd.cleanup.survey import survey
from tpuherd.manager import make_plugin_manager
from tpuherd.output.reporter import Reporter
from tpuherd_emulator import lifecycle
from tpuherd_emulator.info import load

if TYPE_CHECKING:
    from gc_home import GcHome

pytestmark = pytest.mark.slow


def remover(home: GcHome) -> Remover:
    return Remover(home.cloud_now, home.store(), make_plugin_manager(), Reporter())


def test_another_tpu_of_the_same_name_stays(home: GcHome) -> None:
    home.make_node("orphan", home.labels("job-dead"))
    found = survey(home.cloud_now, home.store())
    assert [tpu.name for tpu in found.going] == ["orphan"]
    home.api.change("delete_node", name=f"{home.api.parent}/nodes/orphan")
    assert wait_for(lambda: not home.node_ids())
    home.make_node("orphan", home.labels("job-dead"))
    (removal,) = remover(home).remove(found)
    assert removal.fortune is Fortune.FAILED
    assert "changed" in removal.text
    assert home.node_ids() == {"orphan"}


def test_what_has_gone_by_itself_is_gone(home: GcHome) -> None:
    home.make_node("orphan", home.labels("job-dead"))
    found = survey(home.cloud_now, home.store())
    home.api.change("delete_node", name=f"{home.api.parent}/nodes/orphan")
    assert wait_for(lambda: not home.node_ids())
    (removal,) = remover(home).remove(found)
    assert removal.fortune is Fortune.GONE


def test_a_job_that_came_back_keeps_what_it_has(home: GcHome) -> None:
    """The store has forgotten the job when the project is looked at, and has it when it comes to deleting."""
    home.ok("run", home.job(), "--keep")
    store = home.store()
    (record,) = store.jobs.all()
    store.jobs.remove(record.id)
    found = survey(home.cloud_now, store)
    assert len(found.going) == 1
    store.jobs.add(record)
    store.jobs.keep(record.id, keep=True)
    store.stages.start(record.id, 1, "provision")
    (removal,) = remover(home).remove(found)
    assert removal.fortune is Fortune.STAYED, removal
    assert home.node_ids() == {tpu.name for tpu in found.going}


def test_an_api_that_goes_down_meanwhile_is_said_and_nothing_is_deleted(home: GcHome) -> None:
    home.make_node("orphan", home.labels("job-dead"))
    cloud, store = home.cloud_now, home.store()
    found = survey(cloud, store)
    info = load(home.home / "emulator" / "cloud.json")
    assert info
    gc = Remover(cloud, store, make_plugin_manager(), Reporter())
    os.kill(info.pid, signal.SIGKILL)
    assert wait_for(lambda: not lifecycle.status(home.home / "emulator").running)
    (removal,) = gc.remove(found)
    assert removal.fortune is Fortune.FAILED
