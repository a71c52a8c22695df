"""A running emulated cloud: all its parts, put together inside the daemon."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd_emulator import image, keys
from tpuherd_emulator.api import service
from tpuherd_emulator.api.context import Context
from tpuherd_emulator.api.nodes import Nodes
from tpuherd_emulator.api.operations import Operations
from tpuherd_emulator.api.queued_resources import QueuedResources
from tpuherd_emulator.files import write_private
from tpuherd_emulator.info import CloudInfo
from tpuherd_emulator.metadata.pages import pages
from tpuherd_emulator.metadata.server import MetadataServer
from tpuherd_emulator.processes import start_ticks
from tpuherd_emulator.scheduler import Scheduler
from tpuherd_emulator.workers import environment
from tpuherd_emulator.workers.addresses import Addresses, free_port, network
from tpuherd_emulator.workers.backend import choose
from tpuherd_emulator.workers.fleet import Fleet, Site, login_name

if TYPE_CHECKING:
    import grpc

    from tpuherd_emulator.layout import Layout
    from tpuherd_emulator.options import EmulatorOptions
    from tpuherd_emulator.storage.server import StorageServer


@dataclass(frozen=True, slots=True, kw_only=True)
class EmulatedCloud:
    """What `start` started, to be stopped in one go."""

    info: CloudInfo
    api: grpc.Server
    storage: StorageServer
    scheduler: Scheduler
    fleet: Fleet
    nodes: Nodes

    def stop(self) -> None:
        """End every worker and every server."""
        self.api.stop(0)
        self.scheduler.stop()
        self.fleet.shut_down(tuple(machine for node in self.nodes.all() for machine in node.machines))
        self.storage.stop()


def start(layout: Layout, options: EmulatorOptions) -> EmulatedCloud:
    """Start all parts; when this returns, all of them serve."""
    from tpuherd_emulator.storage.server import start as start_storage

    image.build(layout.image / "bin")
    # A token of its own: it is part of the URL that workers get, and they have no business with the API.
    storage = start_storage("127.0.0.1", 0, secrets.token_urlsafe(24), layout.storage)
    variables = service_variables(storage.url)
    site = _site(layout, options, variables)
    public_key = keys.ensure(layout.ssh / "id_ed25519", "tpuherd-emulator")
    token = secrets.token_urlsafe(24)
    context, nodes, queued = _control_plane(site, options, public_key)
    api, port = service.start(context, nodes, queued, token)
    info = CloudInfo(
        pid=os.getpid(),
        pid_started=start_ticks(os.getpid()) or 0,
        project=options.project,
        tpu_endpoint=f"127.0.0.1:{port}",
        storage_url=storage.url,
        token=token,
        ssh_user=login_name(),
        ssh_port=site.ssh_port,
        private_key=str(layout.ssh / "id_ed25519"),
        public_key=public_key,
        shared_directory=str(layout.shared),
        backend=site.backend.name,
        worker_variables=variables,
    )
    return EmulatedCloud(
        info=info, api=api, storage=storage, scheduler=context.scheduler, fleet=context.fleet, nodes=nodes
    )


def service_variables(storage_url: str) -> dict[str, str]:
    """Return the variables that lead Google's libraries to the emulated services."""
    return {
        "STORAGE_EMULATOR_HOST": storage_url,  # google-cloud-storage, gcsfs
        "TENSORSTORE_GCS_HTTP_URL": storage_url,  # tensorstore, so Orbax
        "GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT": "false",  # else gcsfs asks a gRPC service that is not emulated
        "NO_GCE_CHECK": "true",  # no search for credentials: none are needed
    }


def _site(layout: Layout, options: EmulatorOptions, variables: dict[str, str]) -> Site:
    first = f"127.{network(layout.root)}.0.1"
    ssh_port, metadata_port = free_port(first), free_port(first)
    return Site(
        layout=layout,
        backend=choose(options.backend, layout.root),
        addresses=Addresses(layout.root, (ssh_port, metadata_port)),
        ssh_port=ssh_port,
        metadata_port=metadata_port,
        variables=environment.passed_on(os.environ) | variables | {"UV_CACHE_DIR": str(image.uv_cache())},
    )


def _control_plane(
    site: Site, options: EmulatorOptions, public_key: str
) -> tuple[Context, Nodes, QueuedResources]:
    """The API's state, with its observers: metadata servers and the file that `status` reads."""
    metadata = MetadataServer(site.metadata_port, lambda address: _pages_at(address, nodes, context))

    def changed() -> None:
        metadata.serve({machine.plan.address for node in nodes.all() for machine in node.machines})
        metadata.notify()
        write_private(site.layout.state, json.dumps(_state(nodes)))

    context = Context(
        options=options,
        scheduler=Scheduler(),
        fleet=Fleet(site),
        operations=Operations(options.project),
        changed=changed,
        public_key=public_key,
    )
    nodes = Nodes(context)
    changed()
    return context, nodes, QueuedResources(context, nodes)


def _pages_at(address: str, nodes: Nodes, context: Context) -> dict[str, str]:
    with context.scheduler.lock:
        for node in nodes.all():
            for index, machine in enumerate(node.machines):
                if machine.plan.address == address:
                    return pages(node, index, context.project)
    return {}


def _state(nodes: Nodes) -> list[list[object]]:
    """Rows for `lifecycle.status`."""
    return [
        [node.node_id, node.zone, node.accelerator.name, node.state, len(node.machines)]
        for node in nodes.all()
    ]
