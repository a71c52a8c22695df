"""All resources of a zone, or the knowledge that they are not known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd.cloud.classification import API_DOWN
from tpuherd.cloud.client import TpuApi
from tpuherd.cloud.refusals import CloudRefused
from tpuherd.cloud.sharing import listed

if TYPE_CHECKING:
    from tpuherd.model.cloud import Cloud


def whole(cloud: Cloud, zone: str, method: str) -> list[Any]:
    """Everything of one kind in a zone.

    Raises:
        CloudRefused: the API refuses or, what is no better, answers without having reached the zone.
    """
    listing = listed(TpuApi(cloud, zone), method)
    if listing.unreachable:
        raise CloudRefused(f"{method}: the TPU API does not reach {', '.join(listing.unreachable)}", API_DOWN)
    return listing.items
