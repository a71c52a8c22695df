"""Asking workers whether somebody uses their TPU: the API does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import paths
from tpuherd.cloud.client import TpuApi
from tpuherd.cloud.nodes import to_slice
from tpuherd.errors import StateError, TpuherdError
from tpuherd.fleet.tpu import Kind
from tpuherd.remote.parallel import in_parallel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.fleet.tpu import Tpu
    from tpuherd.fleet.waiting import Note
    from tpuherd.model.cloud import Cloud

CONNECT_TIMEOUT_S = 20.0


def idle(cloud: Cloud, tpus: Sequence[Tpu], note: Note) -> list[Tpu]:
    """Those whose workers all say that no attempt of a job runs and no process holds a TPU device.

    Processes of other users can be hidden from the user who logs in.

    Args:
        cloud: where, with the key to log in.
        tpus: nodes that are READY.
        note: is told of those that are left out, and why.
    """
    answers = in_parallel(lambda tpu: _why_not(cloud, tpu), tpus)
    for tpu, why in zip(tpus, answers, strict=True):
        if why:
            note(f"{tpu.place}: {why}")
    return [tpu for tpu, why in zip(tpus, answers, strict=True) if not why]


def _why_not(cloud: Cloud, tpu: Tpu) -> str:
    """Why a TPU does not count as idle; empty if it does."""
    try:
        return "; ".join(_occupants(cloud, tpu))
    except TpuherdError as error:
        return f"cannot be asked: {str(error).partition(chr(10))[0]}"


def _occupants(cloud: Cloud, tpu: Tpu) -> list[str]:
    from tpuherd.agent.occupancy import occupants
    from tpuherd.remote import RemoteWorkers

    node = TpuApi(cloud, tpu.zone).get("get_node", f"nodes/{tpu.name}") if tpu.kind is Kind.NODE else None
    if node is None:
        raise StateError("it has no workers")
    workers = to_slice(node, slice_index=0, first_worker=0).workers
    known_hosts = paths.home() / "fleet" / "known_hosts" / f"{tpu.name}-{tpu.incarnation}"
    with RemoteWorkers(workers, cloud.ssh, known_hosts, connect_timeout_s=CONNECT_TIMEOUT_S) as remote:
        return occupants(remote)
