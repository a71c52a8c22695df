"""The `environment` section of the job file: what holds for environments of every kind."""

from __future__ import annotations

from pydantic import Field

from tpuherd.config.sections import Section


class EnvironmentSection(Section):
    """What is checked before and after an environment is made."""

    disk_gib: float = Field(
        2.0, ge=0, description="Free disk space that a worker needs before anything is installed, in GiB."
    )
    clock_off_s: float = Field(
        30.0,
        ge=0,
        description="Workers whose clocks are further off are refused, in seconds; above 5 s it is told.",
    )
    preflight: bool | None = Field(
        None,
        description="Whether JAX has to start on all workers together and find every chip; by default "
        "on real TPUs, where the environment has JAX.",
    )
    preflight_timeout_s: float = Field(180.0, gt=0, description="Longest preflight, in seconds.")
    lock_timeout_s: float = Field(
        600.0, ge=0, description="Longest wait for the system's own package updates after boot, in seconds."
    )
