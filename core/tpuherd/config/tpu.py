"""The `tpu` section: what is asked of the cloud."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter
from typing import Any, Literal

from pydantic import Field, field_validator

from tpuherd.accelerators import Accelerator, resolve
from tpuherd.config.sections import Section, wrong
from tpuherd.errors import ConfigError

INSTEAD_OF_FLAGS = {
    "--network": "tpu.network",
    "--subnetwork": "tpu.subnetwork",
    "--internal-ips": "tpu.external_ips: false",
    "--service-account": "tpu.service_account",
    "--tags": "tpu.tags",
    "--labels": "tpu.labels",
    "--metadata": "tpu.metadata",
    "--metadata-from-file": "tpu.startup_script",
    "--spot": "tpu.pricing: spot",
    "--best-effort": "tpu.pricing: spot",
    "--preemptible": "tpu.pricing: preemptible",
    "--version": "tpu.version",
    "--runtime-version": "tpu.version",
    "--accelerator-type": "tpu.accelerator",
    "--zone": "tpu.zone",
    "--project": "tpu.project",
    "--node-count": "tpu.slices",
}
"""jobman passed flags on to gcloud; tpuherd has a key for each of these."""

NAME_FIELDS = ("user", "job")
"""What a template in `tpu.name` may refer to."""


class TpuSection(Section):
    """Which TPUs to get, where, and how they are paid for."""

    allocation_mode: str = Field(
        "tpu-vm", description="Plugin that gets the TPUs, for example tpu-vm or queued-resources."
    )
    accelerator: str = Field(description="Type and size of one slice, for example v5p-32 or v5litepod-16.")
    zone: str = Field(
        pattern=r"^[a-z]+(-[a-z]+)*\d+-[a-z0-9]+$",
        description="Zone of the slices, for example us-central2-b.",
    )
    name: str = Field(
        "{user}-{job}",
        description="Name of the TPU; {user} and {job} stand for the owner and the job's id.",
    )
    version: str | None = Field(None, description="Runtime version; by default the one for the generation.")
    pricing: Literal["ondemand", "spot", "preemptible"] = Field("ondemand", description="How it is paid for.")
    project: str | None = Field(None, description="Cloud project; by default the one of the credentials.")
    slices: int = Field(1, ge=1, description="Number of slices; more than one is a multislice job.")
    network: str | None = Field(None, description="VPC network; by default the project's `default`.")
    subnetwork: str | None = Field(None, description="Subnetwork of the network.")
    external_ips: bool = Field(True, description="Whether workers get external addresses.")
    service_account: str | None = Field(None, description="Service account that the workers act as.")
    tags: tuple[str, ...] = Field((), description="Network tags.")
    labels: dict[str, str] = Field({}, description="Labels of the TPU, for search and billing.")
    metadata: dict[str, str] = Field({}, description="Metadata of the TPU VMs.")
    startup_script: Path | None = Field(
        None, description="Script that every worker runs when it boots, from the job file's folder."
    )
    flags: tuple[str, ...] | None = Field(None, description="jobman's gcloud flags: only accepted if empty.")
    provision_timeout_s: float = Field(
        7 * 24 * 3600.0, gt=0, description="Longest wait for the TPUs, in seconds; a queue may take days."
    )
    connect_timeout_s: float = Field(
        600.0, gt=0, description="Longest wait for all workers to answer over SSH, in seconds."
    )
    ips: Any = Field(None, exclude=True, description="Written by jobman; ignored.")
    num_workers: Any = Field(None, exclude=True, description="Written by jobman; ignored.")

    @property
    def shape(self) -> Accelerator:
        """What the accelerator type stands for: chips, workers, runtime version."""
        return resolve(self.accelerator)

    @property
    def runtime_version(self) -> str:
        """The runtime version to ask for."""
        return self.version or self.shape.runtime_version

    def name_for(self, user: str, job: str) -> str:
        """Return the name of the TPU of one user's job, in letters that the API allows.

        The API wants at most 63 lower-case letters, digits and hyphens, with a letter first and no hyphen
        last; ten are left for what a provider puts behind it.
        """
        plain = re.sub(r"[^a-z0-9]+", "-", self.name.format(user=user, job=job).lower()).strip("-")
        return (plain if plain[:1].isalpha() else f"t-{plain}")[:53].rstrip("-")

    @field_validator("accelerator")
    @classmethod
    def _accelerator_exists(cls, value: str) -> str:
        try:
            return resolve(value).name
        except ConfigError as error:
            raise wrong(str(error)) from error

    @field_validator("name")
    @classmethod
    def _template_is_known(cls, value: str) -> str:
        try:
            fields = {field for _, field, _, _ in Formatter().parse(value) if field is not None}
        except ValueError as error:
            raise wrong(f"{value!r} is no template: {error}; write {{{{ for a brace") from error
        unknown = sorted(fields - set(NAME_FIELDS))
        if unknown:
            raise wrong(f"{{{unknown[0]}}} is unknown in a name; valid: {{user}}, {{job}}")
        return value

    @field_validator("tags")
    @classmethod
    def _tags_are_valid(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for tag in value:
            if not re.fullmatch(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", tag):
                raise wrong(
                    f"{tag!r} is no network tag: lower-case letters, digits and hyphens, a letter first"
                )
        return value

    @field_validator("labels")
    @classmethod
    def _labels_are_valid(cls, value: dict[str, str]) -> dict[str, str]:
        for key, text in value.items():
            if not (re.fullmatch(r"[a-z][a-z0-9_-]{0,62}", key) and re.fullmatch(r"[a-z0-9_-]{0,63}", text)):
                raise wrong(f"{key}: {text!r} is no label: lower-case letters, digits, hyphens, underscores")
        return value

    @field_validator("flags")
    @classmethod
    def _flags_are_keys(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if value:
            raise wrong("flags are not passed on to gcloud; " + "; ".join(_instead(flag) for flag in value))
        return value


def _instead(flag: str) -> str:
    name = flag.partition("=")[0]
    key = INSTEAD_OF_FLAGS.get(name)
    return f"instead of {name} write {key}" if key else f"there is no key for {name!r}, leave it out"
