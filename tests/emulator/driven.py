"""An emulated cloud whose time only moves when a test says so, with workers that are addresses only."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from emulated import Cloud
from google.api_core import exceptions
from google.cloud import tpu_v2

from tpuherd_emulator import lifecycle
from tpuherd_emulator.control.client import Control
from tpuherd_emulator.lifecycle import EmulatorOptions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RUNTIME = "v2-alpha-tpuv5-lite"
MANUAL = {"clock": "manual", "workers": "none", "create_s": 10.0, "delete_s": 5.0, "queue_s": 10.0, "seed": 1}


class Driven(Cloud):
    """Nodes and queued resources in one line each; nothing happens before a `tick`."""

    def __init__(self, directory: Path, info: lifecycle.CloudInfo) -> None:
        super().__init__(directory, info)
        self.control = Control(info)
        self.tpu = self.client()

    def tick(self, seconds):
        self.control.tick(seconds)

    def zone(self, zone):
        return f"projects/{self.info.project}/locations/{zone}"

    def create(self, node_id, accelerator="v5litepod-16", zone="us-central1-a", **fields):
        node = tpu_v2.Node(accelerator_type=accelerator, runtime_version=RUNTIME, **fields)
        return self.tpu.create_node(parent=self.zone(zone), node_id=node_id, node=node)

    def ready(self, node_id, **fields):
        self.create(node_id, **fields)
        self.tick(10)
        assert self.state(node_id) == "READY"

    def find(self, node_id):
        try:
            return self.tpu.get_node(name=f"{self.parent}/nodes/{node_id}")
        except exceptions.NotFound:
            return None

    def state(self, node_id):
        found = self.find(node_id)
        return found.state.name if found else "gone"

    def remove(self, node_id):
        return self.tpu.delete_node(name=f"{self.parent}/nodes/{node_id}")

    def enqueue(self, queued_id, nodes=1, accelerator="v5litepod-16", **fields):
        """Queue spot nodes: `ID` for one, `ID-0`, `ID-1` … for several."""
        node = tpu_v2.Node(accelerator_type=accelerator, runtime_version=RUNTIME)
        kind = tpu_v2.QueuedResource.Tpu.NodeSpec
        several = {"multislice_params": kind.MultisliceParams(node_count=nodes)} if nodes > 1 else {}
        spec = kind(parent=self.parent, node=node, **(several or {"node_id": queued_id}))
        asked = {"tpu": {"node_spec": [spec]}, "spot": {}, **fields}
        return self.tpu.create_queued_resource(
            parent=self.parent, queued_resource_id=queued_id, queued_resource=asked
        )

    def queue(self, queued_id):
        """The state of a queued resource, and its name."""
        try:
            found = self.tpu.get_queued_resource(name=f"{self.parent}/queuedResources/{queued_id}").state
        except exceptions.NotFound:
            return None
        return found

    def queue_state(self, queued_id):
        found = self.queue(queued_id)
        return found.state.name if found else "gone"

    def dequeue(self, queued_id, *, force):
        name = f"{self.parent}/queuedResources/{queued_id}"
        return self.tpu.delete_queued_resource(request={"name": name, "force": force})


def error_of(operation):
    """How an operation has ended: its error, or None."""
    assert operation.done()
    return operation.exception(timeout=5)


@contextmanager
def driving(directory, **options) -> Iterator[Driven]:
    made = Driven(directory, lifecycle.up(directory, EmulatorOptions(**{**MANUAL, **options})))
    try:
        yield made
    finally:
        made.control.close()
        made.tpu.transport.close()
        lifecycle.down(directory)


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    with driving(tmp_path_factory.mktemp("driven")) as made:
        yield made


@pytest.fixture
def driven(shared):
    """A cloud without nodes, faults and limits: what a test has left is removed after it."""
    yield shared
    shared.control.clear()
    shared.control.fault("heal", count=1)
    shared.control.clear()
    for row in shared.control.limits():
        limit = getattr(shared.control, row.limit)
        limit(row.place, None, generation=row.generation, market=row.market)
    _sweep(shared)


def _sweep(cloud):
    everywhere = cloud.zone("-")
    for node in cloud.tpu.list_nodes(parent=everywhere):
        if not node.queued_resource and node.state.name != "DELETING":
            cloud.tpu.delete_node(name=node.name)
    for queued in cloud.tpu.list_queued_resources(parent=everywhere):
        if queued.state.state.name != "DELETING":
            cloud.tpu.delete_queued_resource(request={"name": queued.name, "force": True})
    cloud.tick(100_000)
    assert not list(cloud.tpu.list_nodes(parent=everywhere))
    assert not list(cloud.tpu.list_queued_resources(parent=everywhere))
