"""The `tpu` section: what is asked of the cloud."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field, field_validator

from tpuherd.accelerators import Accelerator, resolve
from tpuherd.cloud.placement import Placement
from tpuherd.config.flags import instead_of
from tpuherd.config.naming import LONGEST, check_template, name_from
from tpuherd.config.sections import wrong
from tpuherd.config.tpu_deadlines import DeadlineKeys
from tpuherd.config.tpu_machines import MachineKeys
from tpuherd.config.tpu_places import PlaceKeys
from tpuherd.config.tpu_terms import TermKeys
from tpuherd.provisioners import Choice, choose

if TYPE_CHECKING:
    from collections.abc import Iterator


class TpuSection(DeadlineKeys, MachineKeys, TermKeys, PlaceKeys):  # the last one's keys come first
    """Which TPUs to get, where, and how they are paid for."""

    name: str = Field(
        "{user}-{job}",
        description="Name of the TPU; {user} and {job} stand for the owner and the job's id, {region}, "
        "{zone}, {zone_letter} and {accelerator} for where and what it is, {index} for a free number.",
    )
    project: str | None = Field(None, description="Cloud project; by default the one of the credentials.")
    flags: tuple[str, ...] | None = Field(None, description="jobman's gcloud flags: only accepted if empty.")
    ips: Any = Field(None, exclude=True, description="Written by jobman; ignored.")
    num_workers: Any = Field(None, exclude=True, description="Written by jobman; ignored.")

    @property
    def shape(self) -> Accelerator:
        """What the first accelerator stands for; slices that are there may have another, and say which."""
        return resolve(self.accelerator)

    @property
    def runtime_version(self) -> str:
        """The runtime version to ask for with the first accelerator."""
        return self.runtime_version_for(self.accelerator)

    @property
    def choice(self) -> Choice:
        """The plugin that gets the TPUs, and why it is that one."""
        return choose(self)

    @property
    def provider(self) -> str:
        """Key of the plugin that gets the TPUs: `allocation_mode`, with `auto` resolved."""
        return self.choice.provider

    def runtime_version_for(self, accelerator: str) -> str:
        """The runtime version to ask for with one of the accelerators."""
        return self.version or resolve(accelerator).runtime_version

    def name_for(
        self,
        user: str,
        job: str,
        placement: Placement | None = None,
        index: int | None = None,
        *,
        longest: int = LONGEST,
    ) -> str:
        """Return the name of the TPU of one user's job; see `naming.name_from`.

        Args:
            user: the owner.
            job: the job's id.
            placement: where it is; by default the first zone with the first accelerator.
            index: the number for `{index}`.
            longest: how many characters it may have.
        """
        return name_from(self.name, user, job, placement or self.first_placement, index, longest=longest)

    @property
    def first_placement(self) -> Placement:
        """The first zone with the first accelerator."""
        return Placement(zone=self.zone, accelerator=self.accelerator)

    def every_placement(self) -> Iterator[Placement]:
        """Each accelerator in each zone, as listed: zones outside."""
        for zone in self.zones:
            yield from (Placement(zone=zone, accelerator=name) for name in self.accelerators)

    @field_validator("name")
    @classmethod
    def _template_is_known(cls, value: str) -> str:
        try:
            check_template(value)
        except ValueError as error:
            raise wrong(str(error)) from error
        return value

    @field_validator("flags")
    @classmethod
    def _flags_are_keys(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if value:
            raise wrong("flags are not passed on to gcloud; " + "; ".join(instead_of(flag) for flag in value))
        return value
