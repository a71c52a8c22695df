"""The environment of commands on a worker: what a TPU VM has, and nothing of the process that emulates it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

_SYSTEM = ("LANG", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR")
_PROXIES = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
_PIP = (
    "INDEX_URL", "EXTRA_INDEX_URL", "FIND_LINKS", "NO_INDEX", "CERT", "CLIENT_CERT", "TRUSTED_HOST",
    "CONFIG_FILE", "DEFAULT_TIMEOUT",
)  # fmt: skip
_UV = (
    "DEFAULT_INDEX", "INDEX", "INDEX_URL", "EXTRA_INDEX_URL", "FIND_LINKS", "NO_INDEX", "INDEX_STRATEGY",
    "NATIVE_TLS", "SYSTEM_CERTS", "INSECURE_HOST", "OFFLINE", "CONFIG_FILE", "HTTP_TIMEOUT",
    "PYTHON_INSTALL_MIRROR",
)  # fmt: skip

_PASSED = frozenset((*_SYSTEM, *_PROXIES, *(f"PIP_{name}" for name in _PIP), *(f"UV_{name}" for name in _UV)))
"""Variables of the machine that also hold on its emulated workers."""


def passed_on(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of the starting user that also hold on workers."""
    kept = {name: value for name, value in variables.items() if name in _PASSED or _index_login(name)}
    for name, path in _own_settings().items():
        kept.setdefault(name, path)
    return kept


def _index_login(name: str) -> bool:
    return name.startswith("UV_INDEX_") and name.endswith(("_USERNAME", "_PASSWORD"))


def _own_settings() -> dict[str, str]:
    """The user's files of pip and uv: on workers the home folder is another, so they must be named."""
    settings = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    files = {"PIP_CONFIG_FILE": settings / "pip/pip.conf", "UV_CONFIG_FILE": settings / "uv/uv.toml"}
    return {name: str(path) for name, path in files.items() if path.is_file()}


def tpu_variables(chips: int, index: int, addresses: tuple[str, ...]) -> dict[str, str]:
    """Return what makes JAX use its CPU devices as the chips of a TPU VM.

    JAX counts the TPU chips on the PCI bus and, where there are none, does not ask the metadata server who it
    is; it then takes the worker's number and its neighbours from `TPU_WORKER_ID` and `TPU_WORKER_HOSTNAMES`,
    and only `MEGASCALE_*` from the metadata server (`jax/_src/cloud_tpu_init.py` and
    `jax/_src/clusters/cloud_tpu_cluster.py` of JAX 0.10.2). A real TPU VM has no
    `TPU_WORKER_*`.

    Args:
        chips: TPU chips of this worker.
        index: Number of this worker in its slice.
        addresses: Internal addresses of all workers of the slice, in order.
    """
    return {
        "JAX_PLATFORMS": "cpu",
        "JAX_NUM_CPU_DEVICES": str(chips),
        "JAX_FORCE_TPU_INIT": "1",
        "TPU_WORKER_ID": str(index),
        "TPU_WORKER_HOSTNAMES": ",".join(addresses),
    }


def metadata_variables(address: str, port: int) -> dict[str, str]:
    """Return what leads JAX (`..._IP`) and Google's libraries (`..._HOST`) to the metadata server."""
    return {"GCE_METADATA_IP": f"{address}:{port}", "GCE_METADATA_HOST": f"{address}:{port}"}
