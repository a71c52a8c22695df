"""Host keys that TPU VMs publish as guest attributes: with them there is no first use to trust."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tpuherd.cloud.client import TpuApi
from tpuherd.errors import ProvisionError
from tpuherd.remote.parallel import in_parallel

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tpuherd.model.allocation import Allocation, Slice
    from tpuherd.model.job import Job

RETRY_S = 3.0
"""How long it is asked for while the API is unavailable."""
NAMESPACE = "hostkeys"
"""Where the guest agent puts them, one item per algorithm."""


class HostKeys:
    """The published host keys of the nodes of one request."""

    def __init__(self, job: Job) -> None:
        """Nothing is known yet."""
        self._job = job
        self._settled: set[str] = set()

    def pin(self, allocation: Allocation) -> None:
        """Pin what is published so far, with one call per node; a node is not asked again once it is known.

        Where guest attributes are switched off or empty, the key of the first connection is the one.

        Raises:
            RemoteError: a worker has shown another key already.
        """
        open_slices = [piece for piece in allocation.slices if piece.incarnation not in self._settled]
        for piece, told in zip(open_slices, in_parallel(self._published, open_slices), strict=True):
            self._keep(piece, told)

    def _keep(self, piece: Slice, told: list[list[str]] | None) -> None:
        """Pin the keys of a slice; `None`: it will never tell any."""
        if told is None or (len(told) == len(piece.workers) and all(told)):
            self._settled.add(piece.incarnation)
        if told is not None and len(told) == len(piece.workers):
            known = zip(piece.workers, told, strict=True)
            self._job.session.pin_host_keys({worker.host_key_name: keys for worker, keys in known if keys})

    def _published(self, piece: Slice) -> list[list[str]] | None:
        api = TpuApi(self._job.cloud, piece.zone, read_retry_s=RETRY_S)
        name = f"{api.parent}/nodes/{piece.node_id}"
        try:
            answer = api.read("get_guest_attributes", name=name, query_path=f"{NAMESPACE}/")
        except ProvisionError:
            return None
        return [] if answer is None else [_keys(item.query_value.items) for item in answer.guest_attributes]


def _keys(items: Iterable[Any]) -> list[str]:
    """Keys as lines of OpenSSH; guests write them, so what is no key is left out."""
    lines = (f"{item.key} {item.value.strip()}" for item in items if item.namespace == NAMESPACE)
    return [line for line in lines if re.fullmatch(r"[a-z0-9@.-]+ [A-Za-z0-9+/]+={0,2}", line)]
