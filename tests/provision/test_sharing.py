"""Reads that many jobs of one process share: exact after own writes, one listing for everything else."""

from __future__ import annotations

import threading
import time
from contextvars import copy_context
from typing import TYPE_CHECKING

import pytest
from clouded import ZONE, Clouded, clouded, kill_daemon

from tpuherd.cloud import sharing
from tpuherd.cloud.client import TpuApi
from tpuherd.cloud.counting import calls
from tpuherd.errors import ProvisionError
from tpuherd.remote.parallel import in_background
from tpuherd_emulator.joining import to_cloud

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

NODE = {"accelerator_type": "v5litepod-8", "runtime_version": "v2-alpha-tpuv5-lite"}


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Clouded]:
    """A cloud whose workers are addresses only."""
    with clouded(tmp_path, workers="none", create_s=3600.0) as made:
        yield made
    sharing.suit(0)
    sharing.forget()


def api_of(cloud: Clouded) -> TpuApi:
    return TpuApi(to_cloud(cloud.info), ZONE)


def create(api: TpuApi, name: str) -> None:
    api.change("create_node", parent=api.parent, node_id=name, node=NODE)


def sharing_job(work: Callable[[], object], jobs: int = 1000) -> dict[str, int]:
    """Work as one job of many; returns the calls that it took."""
    before = calls()

    def body() -> None:
        sharing.share()
        sharing.suit(jobs)
        work()

    copy_context().run(body)
    return {
        name: count - before.get(name, 0) for name, count in calls().items() if count > before.get(name, 0)
    }


def test_a_hundred_reads_are_one_listing(bare: Clouded) -> None:
    api = api_of(bare)
    for name in ("one", "two"):
        create(api, name)

    def read() -> None:
        time.sleep(0.3)
        for _ in range(50):
            assert [api.get("get_node", f"nodes/{name}").state.name for name in ("one", "two")] == [
                "CREATING"
            ] * 2
            time.sleep(0.001)

    assert sharing_job(read) == {"list_nodes": 1}


def test_what_is_alone_reads_exactly(bare: Clouded) -> None:
    api, before = api_of(bare), calls()
    create(api, "one")
    assert api.get("get_node", "nodes/one") is not None
    assert calls().get("get_node", 0) == before.get("get_node", 0) + 1
    assert calls().get("list_nodes", 0) == before.get("list_nodes", 0)


def test_after_an_own_write_the_api_itself_is_asked(bare: Clouded) -> None:
    api = api_of(bare)
    create(api, "one")

    def delete() -> None:
        time.sleep(0.3)
        assert api.get("get_node", "nodes/one").state.name == "CREATING"
        api.change("delete_node", name=f"{api.parent}/nodes/one")
        found = api.get("get_node", "nodes/one")
        assert found is None or found.state.name == "DELETING"
        create(api, "two")
        assert in_background(lambda name: api.get("get_node", name), "nodes/two").result() is not None
        assert "two" in {node.name.rpartition("/")[2] for node in sharing.listed(api, "list_nodes").items}

    took = sharing_job(delete)
    assert (took["get_node"], took["list_nodes"]) == (2, 2)


def test_what_a_listing_does_not_show_is_asked_for(bare: Clouded) -> None:
    api = api_of(bare)

    def look() -> None:
        time.sleep(0.3)
        assert api.get("get_node", "nodes/late") is None
        somebody_else = threading.Thread(target=create, args=(api_of(bare), "late"))
        somebody_else.start()
        somebody_else.join()
        assert api.get("get_node", "nodes/late") is not None

    assert sharing_job(look) == {"list_nodes": 1, "get_node": 2, "create_node": 1}


def test_an_api_that_is_down_is_not_asked_by_every_job(bare: Clouded) -> None:
    api = api_of(bare)
    create(api, "one")
    kill_daemon(bare)

    def look() -> None:
        time.sleep(0.3)
        for _ in range(20):
            with pytest.raises(ProvisionError):
                api.get("get_node", "nodes/one")

    assert sharing_job(look) == {"list_nodes": 1}
