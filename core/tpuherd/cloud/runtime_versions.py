"""Whether a zone offers a runtime version, asked before anything is created."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from tpuherd.cloud.classification import NOT_IN_ZONE
from tpuherd.cloud.client import TpuApi
from tpuherd.cloud.refusals import CloudRefused
from tpuherd.config.choices import nearest
from tpuherd.errors import ProvisionError

if TYPE_CHECKING:
    from tpuherd.model.cloud import Cloud

RETRY_S = 3.0
"""How long the list is asked for while the API is unavailable; it is not worth more."""

_lists: dict[tuple[str | None, str, str], frozenset[str]] = {}
"""What each zone of each project offers: it is read once per process."""
_reading = threading.Lock()


def require_offered(cloud: Cloud, zone: str, version: str) -> None:
    """Check a runtime version against the list of a zone.

    An API that does not tell stops nothing: it will say itself what it does not know.

    Raises:
        CloudRefused: the zone does not offer it; the nearest that it offers are named.
    """
    key = (cloud.tpu_endpoint, cloud.project, zone)
    with _reading:
        if key not in _lists:
            _lists[key] = _read(cloud, zone)
    if _lists[key] and version not in _lists[key]:
        hint = nearest(version, sorted(_lists[key]))
        raise CloudRefused(
            f"tpu.version: runtime version {version!r} is not offered in {zone}; {hint}", NOT_IN_ZONE
        )


def _read(cloud: Cloud, zone: str) -> frozenset[str]:
    api = TpuApi(cloud, zone, read_retry_s=RETRY_S)
    try:
        return frozenset(item.version for item in api.listed("list_runtime_versions").items)
    except ProvisionError:
        return frozenset()
