"""Reading the fleet: one listing of nodes and one of queued resources, for all zones at once or for each."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd.errors import ProvisionError
from tpuherd.fleet.messages import rows
from tpuherd.remote.parallel import in_parallel

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from tpuherd.cloud.client import Listing
    from tpuherd.fleet.tpu import Tpu
    from tpuherd.model.cloud import Cloud

ALL_ZONES = "-"
METHODS = ("list_nodes", "list_queued_resources")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """What the API said at one moment."""

    tpus: tuple[Tpu, ...]
    unreachable: tuple[str, ...]
    """Places that did not answer, with what is known about why: what they hold is unknown."""
    read_at: float
    """Unix time in seconds."""


def read_fleet(cloud: Cloud, zones: Sequence[str] = (), *, read_retry_s: float | None = None) -> Fleet:
    """Read all TPUs of a project, with as many calls as there are zones (and pages), at the same time.

    Args:
        cloud: which API, and which project.
        zones: the zones of interest; empty: all, in one call for nodes and one for queued resources.
        read_retry_s: how long a listing is repeated while the API is unavailable; `None`: as usual.

    Raises:
        ProvisionError: no place answered.
    """
    wanted = [(zone, method) for zone in dict.fromkeys(zones) or [ALL_ZONES] for method in METHODS]

    def read(item: tuple[str, str]) -> Listing | ProvisionError:
        return _list(cloud, *item, read_retry_s)

    answers = dict(zip(wanted, in_parallel(read, wanted), strict=True))
    errors = {zone: answer for (zone, _), answer in answers.items() if isinstance(answer, ProvisionError)}
    if len(errors) == len({zone for zone, _ in wanted}):
        raise next(iter(errors.values()))
    return _fleet(answers, errors)


def _list(cloud: Cloud, zone: str, method: str, read_retry_s: float | None) -> Listing | ProvisionError:
    from tpuherd.cloud.client import TpuApi

    try:
        return TpuApi(cloud, zone, read_retry_s=read_retry_s).listed(method)
    except ProvisionError as error:
        return error


def _fleet(
    answers: dict[tuple[str, str], Listing | ProvisionError], errors: dict[str, ProvisionError]
) -> Fleet:
    """A zone of which only one of the two listings came is unreachable, too: half an answer misleads."""
    good = {key: answer for key, answer in answers.items() if not isinstance(answer, ProvisionError)}
    found: dict[str, list[Any]] = {method: [] for method in METHODS}
    for (zone, method), answer in good.items():
        found[method] += answer.items if zone not in errors else []
    silent = {place.rpartition("/")[2] for answer in good.values() for place in answer.unreachable}
    failed = {f"{zone} ({str(error).partition(chr(10))[0]})" for zone, error in errors.items()}
    return Fleet(
        tpus=tuple(rows(found["list_nodes"], found["list_queued_resources"])),
        unreachable=tuple(sorted(silent | failed)),
        read_at=time.time(),
    )
