"""The fleet as tables and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tpuherd.cloud.labels import expiry_of
from tpuherd.fleet.pricing import usd_per_hour
from tpuherd.fleet.totals import chips_by_place, cost
from tpuherd.output.tables import duration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.fleet.knowledge import Knowledge
    from tpuherd.fleet.reading import Fleet
    from tpuherd.fleet.tpu import Tpu

COLUMNS = ("name", "type", "zone", "state", "health", "age", "owner", "USD/h", "job", "expires", "note")


def cells(tpu: Tpu, known: Knowledge, now: float) -> tuple[str, ...]:
    """One row of the table.

    Args:
        tpu: the TPU.
        known: what the store knows.
        now: Unix time in seconds, for ages.
    """
    count = f"{tpu.slices} x " if tpu.slices > 1 else ""
    tier = "" if tpu.tier == "ondemand" else f" {tpu.tier}"
    price = usd_per_hour(tpu)
    return (
        tpu.name,
        f"{count}{tpu.accelerator}{tier}",
        tpu.zone,
        tpu.state,
        _health(tpu),
        "" if tpu.created_at is None else duration(max(0.0, now - tpu.created_at)),
        tpu.owner,
        f"{price:.2f}" if tpu.billed and price is not None else "",
        f"{known.job_on(tpu)} {known.job_state(tpu)}".rstrip(),
        _expiry(tpu, now),
        _note(tpu, known, now),
    )


def as_json(tpu: Tpu, known: Knowledge) -> dict[str, Any]:
    """One row for scripts."""
    hold = known.hold_on(tpu)
    return asdict(tpu) | {
        "kind": tpu.kind.value,
        "chips": tpu.chips,
        "owner": tpu.owner,
        "mine": known.is_mine(tpu),
        "usd_per_hour": usd_per_hour(tpu),
        "billed": tpu.billed,
        "job": known.job_on(tpu),
        "job_state": known.job_state(tpu),
        "free": known.is_free(tpu),
        "expires_at": expiry_of(tpu.labels),
        "aliases": list(known.names_of(tpu)),
        "reserved_by": hold.owner if hold else None,
        "reserved_until": hold.until if hold else None,
    }


def totals_json(tpus: Sequence[Tpu]) -> dict[str, Any]:
    """The sums for scripts."""
    return asdict(cost(tpus)) | {"chips": chips_by_place(tpus)}


def totals_line(tpus: Sequence[Tpu]) -> str:
    """For example `3 TPUs, 24 chips (us-west4-a: 24 v5e), 28.80 USD per hour`."""
    places = chips_by_place(tpus)
    chips = sum(sum(types.values()) for types in places.values())
    each = [
        f"{zone}: " + ", ".join(f"{count} {name}" for name, count in types.items())
        for zone, types in places.items()
        if types
    ]
    where = f" ({'; '.join(each)})" if each else ""
    sums = cost(tpus)
    unknown = f" and {sums.unpriced} of unknown price" if sums.unpriced else ""
    many = "1 TPU" if len(tpus) == 1 else f"{len(tpus)} TPUs"
    return f"{many}, {chips} chips{where}, {sums.usd_per_hour:.2f} USD per hour{unknown}"


def moment(at: float | None) -> str:
    """A moment as people write it, in UTC; empty if there is none."""
    return "" if at is None else datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _health(tpu: Tpu) -> str:
    worst = f" {tpu.symptoms[0].kind}" if tpu.symptoms else ""
    said = "" if tpu.health in {"", "HEALTH_UNSPECIFIED"} else tpu.health
    return f"{said}{worst}".strip()


def _expiry(tpu: Tpu, now: float) -> str:
    at = expiry_of(tpu.labels)
    if at is None:
        return ""
    return "expired" if at <= now else f"in {duration(at - now)}"


def _note(tpu: Tpu, known: Knowledge, now: float) -> str:
    hold = known.hold_on(tpu)
    notes = [
        f"= {', '.join(known.names_of(tpu))}" if known.names_of(tpu) else "",
        f"reserved by {hold.owner} for {duration(max(0.0, hold.until - now))}" if hold else "",
        tpu.health_text,
        f"queue {tpu.queue_state}" if tpu.queue_state not in {"", "ACTIVE", tpu.state} else "",
    ]
    return "; ".join(note for note in notes if note)


def document(fleet: Fleet, known: Knowledge, tpus: Sequence[Tpu]) -> dict[str, Any]:
    """The chosen rows with their sums, for scripts."""
    return {
        "tpus": [as_json(tpu, known) for tpu in tpus],
        "totals": totals_json(tpus),
        "unreachable": list(fleet.unreachable),
        "read_at": fleet.read_at,
    }
