"""The `inventory` section of the job file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, field_validator, model_validator

from tpuherd import ConfigError
from tpuherd.config.sections import Section, expecting, wrong
from tpuherd.fleet.patterns import parse_all
from tpuherd.store.aliases import parse_name

CHOICES = ("tpu", "alias", "match")
"""Keys that say which machine to take; one of them at most."""


class SshSection(Section):
    """How to log in to machines that no cloud knows."""

    user: str | None = Field(None, description="Login name; by default job.remote_user, or your own name.")
    identity_file: str = Field(
        "~/.ssh/id_ed25519",
        description="Private key on this machine: a whole path, or one that begins with ~.",
    )
    port: int = Field(22, ge=1, le=65535, description="Port of the SSH servers.")


class InventorySection(Section):
    """Which of the machines that exist already a job may use."""

    file: Path | None = Field(
        None,
        description="YAML list of machines, from the job file's folder; without it the TPU API is asked.",
    )
    tpu: str | None = Field(None, description="Name of one machine: NAME, NAME@ZONE, or an alias.")
    alias: str | None = Field(None, description="Alias of one machine, see `tpuherd tpus.alias`.")
    match: Annotated[str | tuple[str, ...], expecting("a pattern such as v4+, or a list of them")] | None = (
        Field(
            None, description="Any free machine of these types or names, for example v4+ or [v5e-8, ada-*]."
        )
    )
    force: bool = Field(False, description="Take a machine although somebody else has reserved it.")
    ssh: SshSection | None = Field(None, description="How to log in; only with `cloud: inventory`.")

    @property
    def patterns(self) -> tuple[str, ...]:
        """The words of `match`."""
        return (self.match,) if isinstance(self.match, str) else self.match or ()

    @property
    def chosen(self) -> str:
        """The key that says which machine; empty: any of the file that has the job's type."""
        return next((name for name in CHOICES if getattr(self, name) is not None), "")

    @field_validator("tpu")
    @classmethod
    def _is_name(cls, value: str | None) -> str | None:
        try:
            return value and str(parse_name(value))
        except ConfigError as error:
            raise wrong(str(error)) from error

    @field_validator("match")
    @classmethod
    def _are_patterns(cls, value: str | tuple[str, ...] | None) -> str | tuple[str, ...] | None:
        try:
            parse_all((value,) if isinstance(value, str) else value or ())
        except ConfigError as error:
            raise wrong(str(error)) from error
        return value

    @model_validator(mode="after")
    def _one_choice(self) -> InventorySection:
        given = [name for name in CHOICES if getattr(self, name) is not None]
        if len(given) > 1:
            raise wrong(f"{' and '.join(given)} both say which machine to use: keep one of them")
        if not given and self.file is None:
            raise wrong("which machines? give one of file, tpu, alias, match")
        return self
