"""The file that lists machines: slices, and the addresses of their workers."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING

from pydantic import Field, ValidationError, field_validator, model_validator

from tpuherd import ConfigError
from tpuherd.accelerators import resolve
from tpuherd.config.document import parse
from tpuherd.config.files import read_job_file
from tpuherd.config.problems import refuse
from tpuherd.config.sections import Section, wrong
from tpuherd.config.validation import explain

if TYPE_CHECKING:
    from pathlib import Path

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
_ADDRESS = re.compile(r"[A-Za-z0-9:][A-Za-z0-9.:_-]*")


class HostSection(Section):
    """One TPU VM of a slice."""

    address: str = Field(description="Address among the workers: coordinator and collectives use it.")
    ssh: str | None = Field(None, description="Address for SSH from here; by default the same.")

    @field_validator("address", "ssh")
    @classmethod
    def _is_address(cls, value: str | None) -> str | None:
        if value is not None and not _ADDRESS.fullmatch(value):
            raise wrong(f"{value!r} is no address: an IP address or a host name")
        return value


class SliceSection(Section):
    """One slice that exists already."""

    name: str = Field(description="Name of the slice, as claims, reservations and aliases know it.")
    accelerator: str = Field(description="Its type, for example v4-8.")
    zone: str = Field("", description="Where it is; empty: not said, so that every tpu.zone fits.")
    workers: tuple[HostSection, ...] = Field(description="Its TPU VMs, worker 0 first.")

    @field_validator("name")
    @classmethod
    def _is_name(cls, value: str) -> str:
        if not _NAME.fullmatch(value):
            raise wrong(f"{value!r} is no name: letters, digits, '.', '_' and '-'")
        return value

    @field_validator("accelerator")
    @classmethod
    def _exists(cls, value: str) -> str:
        try:
            return resolve(value).name
        except ConfigError as error:
            raise wrong(str(error)) from error

    @model_validator(mode="after")
    def _has_all_workers(self) -> SliceSection:
        expected = resolve(self.accelerator).workers
        if len(self.workers) != expected:
            raise wrong(f"a {self.accelerator} has {expected} workers, the list has {len(self.workers)}")
        return self


class HostsFile(Section):
    """All machines of one file."""

    slices: tuple[SliceSection, ...] = Field(description="The slices.")

    @model_validator(mode="after")
    def _nothing_twice(self) -> HostsFile:
        names = Counter(piece.name for piece in self.slices)
        addresses = Counter(host.ssh or host.address for piece in self.slices for host in piece.workers)
        twice = next((word for word, count in (names + addresses).items() if count > 1), None)
        if twice:
            raise wrong(f"{twice} is in the list twice")
        return self


def read_hosts(path: Path) -> HostsFile:
    """Read and check a list of machines.

    Args:
        path: The file.

    Raises:
        ConfigError: it is not there or wrong; one line for each problem, with file, line and key.
    """
    document = parse(read_job_file(path), str(path))
    problems, hosts = list(document.problems), None
    try:
        hosts = HostsFile.model_validate_json(json.dumps(document.data))
    except ValidationError as error:
        problems += explain(error, HostsFile, document)
    refuse(problems)
    assert hosts is not None
    return hosts
