"""Using the user's emulated cloud: it runs as long as somebody does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import Cloud, SshAccess, StateError, paths
from tpuherd.warming import import_in_background
from tpuherd_emulator.lifecycle import EmulatorOptions, attach, detach, down_if_unused, status, up

if TYPE_CHECKING:
    from pathlib import Path

    from tpuherd_emulator.info import CloudInfo


def directory() -> Path:
    """The folder of the user's emulated cloud."""
    return paths.home() / "emulator"


def join(user_id: str) -> Cloud:
    """Start the cloud or join it; noting the user comes first, so that nobody stops it in between."""
    if status(directory()).info is None:
        import_in_background("google.cloud.tpu_v2", "fabric")  # while the daemon starts
    attach(directory(), user_id)
    return to_cloud(up(directory(), EmulatorOptions()))


def visit() -> Cloud:
    """The cloud, if it runs.

    Raises:
        StateError: it does not.
    """
    info = status(directory()).info
    if info is None:
        raise StateError("no emulated cloud runs; `tpuherd cloud.up` starts one")
    return to_cloud(info)


def leave(user_id: str) -> None:
    """Leave the cloud, and stop it if nobody is left."""
    detach(directory(), user_id)
    down_if_unused(directory())


def to_cloud(info: CloudInfo) -> Cloud:
    """What hooks need to know about a running emulated cloud."""
    ssh = SshAccess(
        user=info.ssh_user, private_key=info.private_key, public_key=info.public_key, port=info.ssh_port
    )
    return Cloud(
        name="emulator",
        project=info.project,
        ssh=ssh,
        tpu_endpoint=info.tpu_endpoint,
        token=info.token,
        shared_directory=info.shared_directory,
        shared_network_stack=info.shared_network_stack,
        devices="cpu",
        worker_variables=dict(info.worker_variables),
    )
