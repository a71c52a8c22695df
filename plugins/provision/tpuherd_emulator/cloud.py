"""A running emulated cloud: all its parts, put together inside the daemon."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd_emulator import control_plane, image, keys
from tpuherd_emulator.api import service
from tpuherd_emulator.control import server
from tpuherd_emulator.info import CloudInfo
from tpuherd_emulator.processes import start_ticks
from tpuherd_emulator.rest.server import RestServer, serve
from tpuherd_emulator.workers import environment
from tpuherd_emulator.workers.addresses import Addresses, check_port, free_port, network
from tpuherd_emulator.workers.backend import choose
from tpuherd_emulator.workers.fleet import Site, login_name

if TYPE_CHECKING:
    import grpc

    from tpuherd_emulator.control_plane import ControlPlane
    from tpuherd_emulator.layout import Layout
    from tpuherd_emulator.options import EmulatorOptions
    from tpuherd_emulator.storage.server import StorageServer


@dataclass(frozen=True, slots=True, kw_only=True)
class EmulatedCloud:
    """What `start` started, to be stopped in one go."""

    info: CloudInfo
    api: grpc.Server
    rest: RestServer
    control: grpc.Server
    storage: StorageServer
    plane: ControlPlane

    def stop(self) -> None:
        """End every worker and every server."""
        self.api.stop(0)
        self.control.stop(0)
        self.rest.stop()
        self.plane.stop()
        machines = tuple(machine for node in self.plane.nodes.all() for machine in node.machines)
        self.plane.context.fleet.shut_down(machines)
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
    plane = control_plane.build(site, options, public_key)
    api, port = service.start(plane.calls, token)
    control, control_port = server.start(plane.answers, token)
    rest = serve(plane.calls, options.project, login_name())
    info = CloudInfo(
        pid=os.getpid(),
        pid_started=start_ticks(os.getpid()) or 0,
        project=options.project,
        tpu_endpoint=f"127.0.0.1:{port}",
        rest_url=rest.url,
        control_endpoint=f"127.0.0.1:{control_port}",
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
    return EmulatedCloud(info=info, api=api, rest=rest, control=control, storage=storage, plane=plane)


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
    ssh_port = check_port(first, options.ssh_port) if options.ssh_port else free_port(first)
    metadata_port = free_port(first, besides=ssh_port)
    return Site(
        layout=layout,
        backend=choose(options.backend, layout.root),
        addresses=Addresses(layout.root, (ssh_port, metadata_port)),
        ssh_port=ssh_port,
        metadata_port=metadata_port,
        has_processes=options.workers == "ssh",
        variables=environment.passed_on(os.environ) | variables | {"UV_CACHE_DIR": str(image.uv_cache())},
    )
