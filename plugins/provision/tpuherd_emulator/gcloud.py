"""What makes gcloud use an emulated cloud."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tpuherd_emulator.info import CloudInfo


def variables(info: CloudInfo, directory: Path) -> dict[str, str]:
    """Return environment variables for gcloud.

    Args:
        info: A running cloud.
        directory: Its folder: gcloud's settings and logs go there, and the user's own stay as they are.
    """
    return {
        "CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU": f"{info.rest_url}/",
        "CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE": f"{info.rest_url}/compute/v1/",
        "CLOUDSDK_API_ENDPOINT_OVERRIDES_OSLOGIN": f"{info.rest_url}/oslogin/",
        "CLOUDSDK_AUTH_DISABLE_CREDENTIALS": "true",
        "CLOUDSDK_CORE_PROJECT": info.project,
        "CLOUDSDK_CORE_DISABLE_USAGE_REPORTING": "true",
        "CLOUDSDK_COMPONENT_MANAGER_DISABLE_UPDATE_CHECK": "true",
        "CLOUDSDK_CONFIG": str(directory / "gcloud"),
    }
