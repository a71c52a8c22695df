"""Names, zones and labels of TPUs that are made without a job."""

from __future__ import annotations

import getpass
import re
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, get_args

from tpuherd.accelerators import resolve
from tpuherd.cloud.labels import belonging
from tpuherd.config.choices import listed, nearest
from tpuherd.durations import parse_duration
from tpuherd.errors import ConfigError
from tpuherd.fleet.tpu import Tier
from tpuherd.zones import is_sold, zones_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tpuherd.fleet.new import NewTpu
    from tpuherd.fleet.tpu import Tpu

_NAME = re.compile(r"[a-z]([a-z0-9-]{0,61}[a-z0-9])?")
_ZONE = re.compile(r"[a-z]+(-[a-z]+)*\d+-[a-z0-9]+")


def labels(store_id: str, ttl: str, now: float) -> dict[str, str]:
    """The labels that say whose it is, and until when.

    Args:
        store_id: of the store that makes it.
        ttl: for example `2h`; empty: no limit.
        now: Unix time in seconds.

    Raises:
        ConfigError: the time span is none.
    """
    expires_at = now + parse_duration(ttl, "--ttl") if ttl else None
    return belonging(getpass.getuser(), store_id, expires_at)


def check_place(zone: str, accelerator: str) -> str:
    """Return a zone that may sell a type.

    Raises:
        ConfigError: it is no zone, or it is known not to sell the type.
    """
    shape = resolve(accelerator)
    sellers = listed(sorted(zones_of(shape))) or "no zone that is known"
    if not zone:
        raise ConfigError(f"--zone is missing; {shape.name} is sold in {sellers}")
    if not _ZONE.fullmatch(zone):
        raise ConfigError(f"--zone={zone}: no zone; expected one such as us-central2-b")
    if not is_sold(shape, zone):
        raise ConfigError(f"--zone={zone}: does not sell {shape.name}; these do: {sellers}")
    return zone


def check_tier(word: str) -> Tier:
    """Return how it is paid for.

    Raises:
        ConfigError: there is no such way.
    """
    for tier in get_args(Tier):
        if word == tier:
            return tier  # type: ignore[no-any-return]
    raise ConfigError(f"--tier={word}: {nearest(word, get_args(Tier))}")


def named(new: NewTpu, tpus: Iterable[Tpu]) -> NewTpu:
    """The same with a name: the one that was given, or `USER-TYPE-N` with the smallest free number.

    Raises:
        ConfigError: the API would refuse the name.
    """
    if new.name and not _NAME.fullmatch(new.name):
        raise ConfigError(
            f"--name={new.name}: expected at most 63 lower-case letters, digits and hyphens, a letter first "
            "and no hyphen last"
        )
    if new.name:
        return new
    user = re.sub(r"[^a-z0-9]+", "-", getpass.getuser().lower()).strip("-")
    base = f"{user if user[:1].isalpha() else f't-{user}'}-{resolve(new.accelerator).name}"[:56]
    taken = {name for tpu in tpus if tpu.zone == new.zone for name in (tpu.name, tpu.queued_resource)}
    free = (f"{base}-{number}" for number in count())
    return replace(new, name=next(name for name in free if name not in taken))
