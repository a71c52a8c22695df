"""What the TPU VMs are like: keys of the `tpu` section."""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import Field, ValidationInfo, field_validator

from tpuherd.accelerators import resolve
from tpuherd.config.sections import Section, wrong
from tpuherd.config.tpu_values import AccessScope, DataDisk, NetworkTag


class MachineKeys(Section):
    """Software, network, identity and disks of the TPU VMs."""

    version: str | None = Field(
        None, min_length=1, description="Runtime version; by default the one for the generation."
    )
    network: str | None = Field(None, description="VPC network; by default the project's `default`.")
    subnetwork: str | None = Field(None, description="Subnetwork of the network.")
    external_ips: bool = Field(True, description="Whether workers get external addresses.")
    service_account: str | None = Field(None, description="Service account that the workers act as.")
    scopes: tuple[AccessScope, ...] = Field(
        (), description="Access scopes of the service account, for example cloud-platform."
    )
    tags: tuple[NetworkTag, ...] = Field((), description="Network tags.")
    labels: dict[str, str] = Field({}, description="Labels of the TPU, for search and billing.")
    metadata: dict[str, str] = Field({}, description="Metadata of the TPU VMs.")
    startup_script: Path | None = Field(
        None, description="Script that every worker runs when it boots, from the job file's folder."
    )
    data_disks: tuple[DataDisk, ...] = Field((), description="Disks that are attached to every worker.")

    @field_validator("version")
    @classmethod
    def _one_version_fits_all(cls, value: str | None, info: ValidationInfo) -> str | None:
        generations = dict.fromkeys(resolve(name).generation for name in info.data.get("accelerators", ()))
        if value is not None and len(generations) > 1:
            raise wrong(
                f"{value!r} cannot be the version of {' and '.join(generations)}: leave it out, and every "
                "generation gets its own"
            )
        return value

    @field_validator("labels")
    @classmethod
    def _labels_are_valid(cls, value: dict[str, str]) -> dict[str, str]:
        for key, text in value.items():
            if not (re.fullmatch(r"[a-z][a-z0-9_-]{0,62}", key) and re.fullmatch(r"[a-z0-9_-]{0,63}", text)):
                raise wrong(f"{key}: {text!r} is no label: lower-case letters, digits, hyphens, underscores")
            if key.startswith("tpuherd-"):
                raise wrong(f"{key}: labels that start with tpuherd- are tpuherd's own; choose another")
        return value

    @field_validator("metadata")
    @classmethod
    def _keys_stay_ours(cls, value: dict[str, str]) -> dict[str, str]:
        taken = {"ssh-keys": "tpuherd logs in with its own: see the section ssh"}
        taken["startup-script"] = "write tpu.startup_script"
        for key, instead in taken.items():
            if key in value:
                raise wrong(f"{key} is written by tpuherd itself; {instead}")
        return value

    @field_validator("data_disks")
    @classmethod
    def _disks_can_be_shared(cls, value: tuple[DataDisk, ...], info: ValidationInfo) -> tuple[DataDisk, ...]:
        several = [name for name in info.data.get("accelerators", ()) if resolve(name).workers > 1]
        if not several and info.data.get("slices", 1) == 1:
            return value
        for disk in value:
            if disk.mode != "read-only":
                what = f"a {several[0]} has several workers" if several else "several slices"
                raise wrong(f"{disk.source}: {what}, which can only share it with `mode: read-only`")
        return value
