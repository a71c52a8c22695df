"""The variables that `cloud.env` prints: they lead other clients to an emulated cloud."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd_emulator import gcloud

if TYPE_CHECKING:
    from pathlib import Path

    from tpuherd_emulator.info import CloudInfo


def exports(info: CloudInfo, directory: Path) -> dict[str, str]:
    """Return environment variables.

    Args:
        info: A running cloud.
        directory: Its folder.
    """
    return {
        **info.worker_variables,
        **gcloud.variables(info, directory),
        "GOOGLE_CLOUD_PROJECT": info.project,
        "TPUHERD_EMULATOR_TPU_ENDPOINT": info.tpu_endpoint,
        "TPUHERD_EMULATOR_REST_URL": info.rest_url,
        "TPUHERD_EMULATOR_TOKEN": info.token,
        "TPUHERD_EMULATOR_SSH_KEY": info.private_key,
        "TPUHERD_EMULATOR_SSH_PORT": str(info.ssh_port),
    }
