"""The refusals of the real API, word by word where public threads quote them.

Sources: `sky/backends/cloud_vm_ray_backend.py` and issues 3920 and 4579 of SkyPilot, issues 87 and 1612 of
marin, issues 16957 and 21243 of Terraform's Google provider.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from google.rpc import code_pb2, error_details_pb2

from tpuherd_emulator.api import errors
from tpuherd_emulator.faults.codes import CODES
from tpuherd_emulator.faults.limits import region_of

if TYPE_CHECKING:
    from tpuherd.accelerators import Accelerator
    from tpuherd_emulator.faults.fault import Fault
    from tpuherd_emulator.faults.limits import Pool

_REGIONS = "https://cloud.google.com/tpu/docs/regions"


def stockout(zone: str) -> errors.ApiError:
    """The zone has no capacity."""
    return errors.ApiError(
        code_pb2.RESOURCE_EXHAUSTED,
        f'There is no more capacity in the zone "{zone}"; you can try in another zone where Cloud TPU Nodes '
        f"are offered (see {_REGIONS}) {errors.event_id()}",
    )


def reserved_capacity() -> errors.ApiError:
    """The reservation is used up; the real API says so without a reservation, too."""
    return errors.ApiError(
        code_pb2.RESOURCE_EXHAUSTED,
        "Insufficient reserved capacity. Contact customer support to increase your reservation. "
        f"{errors.event_id()}",
    )


def quota(pool: Pool, limit: int, *, pod: bool) -> errors.ApiError:
    """The quota is exhausted, as creations are refused."""
    area = "Zone" if pool.is_zone else "Region"
    subject = f"{_quota_name(pool, pod=pod)}PerProjectPer{area}ForTPUAPI"
    text = f"Quota '{subject}' exhausted. Limit {limit} in {area.lower()} {pool.place}"
    error = errors.ApiError(code_pb2.RESOURCE_EXHAUSTED, text)
    violation = error_details_pb2.QuotaFailure.Violation(subject=subject, description=text)
    error.status.details.add().Pack(error_details_pb2.QuotaFailure(violations=[violation]))
    return error


def quota_limit(pool: Pool, limit: int) -> errors.ApiError:
    """The other text of an exhausted quota, seen with limits of 0; it has no details."""
    name = _quota_name(pool, pod=False)
    return errors.ApiError(
        code_pb2.RESOURCE_EXHAUSTED,
        f"Quota limit '{name}PerProjectPerRegionForTPUAPI' has been exceeded. "
        f"Limit: {limit} in region {region_of(pool.place)}.",
    )


def preempted_in_creation() -> errors.ApiError:
    """The node was preempted before it was READY."""
    return errors.wrong_state("update", "PREEMPTED")


def expired(name: str) -> errors.ApiError:
    """A queued resource was not served while it was valid; the text is our own."""
    return errors.ApiError(
        code_pb2.DEADLINE_EXCEEDED, f"{name} expired: there were no resources while it was valid"
    )


def of(fault: Fault, zone: str, accelerator: Accelerator) -> errors.ApiError:
    """The error with which a creation that is struck by a fault fails."""
    if fault.kind == "stockout":
        return stockout(zone)
    if fault.kind == "reserved-capacity":
        return reserved_capacity()
    if fault.kind == "preempted-in-creation":
        return preempted_in_creation()
    text = fault.text or f"The creation of a {accelerator.name} failed"
    return errors.ApiError(CODES[fault.code], text)


def _quota_name(pool: Pool, *, pod: bool) -> str:
    """For example `TPUV2sPreemptiblePod`, `TPUV6EPreemptible`: spot draws the preemptible quota."""
    generation = pool.generation.upper()
    plural = "s" if generation in {"V2", "V3"} else ""
    preemptible = "Preemptible" if pool.market == "spot" else ""
    return f"TPU{generation}{plural}{preemptible}{'Pod' if pod else ''}"
