"""The kinds of values that the `tpu` section is made of."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from tpuherd.accelerators import resolve
from tpuherd.config.moments import duration_s, is_duration, moment
from tpuherd.config.sections import Section, wrong
from tpuherd.errors import ConfigError

AUTH = "https://www.googleapis.com/auth/"
"""What access scopes start with; `cloud-platform` alone means the same as with it."""


def _known_accelerator(value: str) -> str:
    try:
        return resolve(value).name
    except ConfigError as error:
        raise wrong(str(error)) from error


def _network_tag(value: str) -> str:
    if not re.fullmatch(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", value):
        raise wrong(f"{value!r} is no network tag: lower-case letters, digits and hyphens, a letter first")
    return value


def _scope(value: str) -> str:
    scope = value if value.startswith("https://") else f"{AUTH}{value}"
    if not re.fullmatch(rf"{re.escape(AUTH)}[a-z][a-z0-9._-]*", scope):
        raise wrong(f"{value!r} is no access scope: write for example cloud-platform")
    return scope


def _reservation(value: str) -> str:
    whole = r"projects/[^/\s]+/(locations|zones)/[^/\s]+/reservations/"
    if not re.fullmatch(rf"({whole})?[a-z]([-a-z0-9]{{0,61}}[a-z0-9])?", value):
        raise wrong(
            f"{value!r} is no reservation: write its name, or "
            "projects/PROJECT/locations/ZONE/reservations/NAME"
        )
    return value


def _disk(value: str) -> str:
    whole = r"projects/[^/\s]+/(zones|regions)/[^/\s]+/disks/"
    if not re.fullmatch(rf"({whole})?[a-z]([-a-z0-9]{{0,61}}[a-z0-9])?", value):
        raise wrong(f"{value!r} is no disk: write its name, or projects/PROJECT/zones/ZONE/disks/NAME")
    return value


def _end_of_wait(value: str) -> str:
    try:
        if is_duration(value):
            duration_s(value)
        else:
            moment(value)
    except ValueError as error:
        raise wrong(str(error)) from error
    return value


AcceleratorName = Annotated[str, AfterValidator(_known_accelerator)]
ZoneName = Annotated[str, Field(pattern=r"^[a-z]+(-[a-z]+)*\d+-[a-z0-9]+$")]
NetworkTag = Annotated[str, AfterValidator(_network_tag)]
AccessScope = Annotated[str, AfterValidator(_scope)]
ReservationName = Annotated[str, AfterValidator(_reservation)]
DiskName = Annotated[str, AfterValidator(_disk)]
EndOfWait = Annotated[str, AfterValidator(_end_of_wait)]


class DataDisk(Section):
    """One disk that every worker sees."""

    source: DiskName = Field(
        description="Disk in the zone of the TPU: its name, or projects/PROJECT/zones/ZONE/disks/NAME."
    )
    mode: Literal["read-write", "read-only"] = Field(
        "read-write", description="Access; several workers can only share a disk that is read-only."
    )
