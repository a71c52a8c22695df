"""One TPU as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.cloud.labels import expiry_of
from tpuherd.fleet.pricing import usd_per_hour
from tpuherd.fleet.showing import moment
from tpuherd.output.tables import print_table

if TYPE_CHECKING:
    from tpuherd.fleet.describing import Description
    from tpuherd.fleet.knowledge import Knowledge
    from tpuherd.fleet.maintenance import Maintenance
    from tpuherd.fleet.tpu import Tpu


def print_description(tpu: Tpu, known: Knowledge, more: Description) -> None:
    """Print everything about one TPU; empty facts are left out."""
    facts = _facts(tpu, known) | _more_facts(more)
    print_table((tpu.kind.value, tpu.place), [(key, value) for key, value in facts.items() if value])
    if more.endpoints:
        rows = [(f"w{index}", inner, outer) for index, (inner, outer) in enumerate(more.endpoints)]
        print_table(("worker", "internal address", "external address"), rows)
    if tpu.symptoms:
        noticed = [(s.worker, s.kind, moment(s.at), s.details) for s in tpu.symptoms]
        print_table(("worker", "symptom", "since", "details"), noticed)
    if more.queued_resource:
        print_table(("queued resource", ""), list(more.queued_resource.items()))
    for title, items in (("label", tpu.labels), ("metadata", more.metadata)):
        if items:
            print_table((title, "value"), sorted(items.items()))


def sentence(event: Maintenance | None) -> str:
    """An announced maintenance in words."""
    if event is None:
        return "none announced"
    window = f"{event.begins or '?'} to {event.ends or '?'}"
    earlier = "; may be begun earlier with `tpuherd tpus.perform-maintenance`" if event.can_reschedule else ""
    return f"{event.kind} {event.status}, {window}{earlier}"


def _facts(tpu: Tpu, known: Knowledge) -> dict[str, str]:
    price = usd_per_hour(tpu)
    shape = tpu.shape
    hold = known.hold_on(tpu)
    return {
        "type": tpu.accelerator,
        "slices": str(tpu.slices),
        "chips": f"{tpu.chips} on {_workers(tpu)}" if shape else "unknown",
        "state": tpu.state,
        "health": " ".join(filter(None, (tpu.health, tpu.health_text))),
        "paid as": tpu.tier,
        "USD per hour while READY": "unknown" if price is None else f"{price:.2f}",
        "created": moment(tpu.created_at),
        "owner": tpu.owner or "made without tpuherd",
        "job": f"{tpu.job} {known.job_state(tpu)}".strip(),
        "expires": moment(expiry_of(tpu.labels)),
        "also called": ", ".join(known.names_of(tpu)),
        "reserved": f"by {hold.owner} until {moment(hold.until)}" if hold else "",
    }


def _workers(tpu: Tpu) -> str:
    return "1 worker" if tpu.workers == 1 else f"{tpu.workers or 'no'} workers"


def _more_facts(more: Description) -> dict[str, str]:
    maintenance = sentence(more.maintenance) if more.maintenance_known else "unknown"
    return {
        "runtime version": more.runtime_version,
        "topology": more.topology,
        "network": more.network,
        "service account": more.service_account,
        "tags": ", ".join(more.tags),
        "data disks": ", ".join(more.data_disks),
        "maintenance": maintenance,
    }
