"""A checked job file."""

from __future__ import annotations

import re
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, Field, ValidationError, field_validator

from tpuherd.config.code import CodeSection
from tpuherd.config.detection import DetectionSection
from tpuherd.config.environment import EnvironmentSection
from tpuherd.config.fleet import FleetSection
from tpuherd.config.jobman import CondaSection, DockerSection, GcsfuseSection, SshSection
from tpuherd.config.ports import Ports
from tpuherd.config.recovery import RecoverySection
from tpuherd.config.secrets import Value
from tpuherd.config.section import ConfigSection
from tpuherd.config.sections import Section, wrong
from tpuherd.config.tpu import TpuSection
from tpuherd.errors import ConfigError, PluginError

SectionT = TypeVar("SectionT", bound=BaseModel)

RESERVED = ("gcsfuse", "ssh", "docker", "conda")
"""Sections that core checks and a plugin may take over by contributing a section of that name."""

ENVIRONMENTS = ("docker", "conda", "venv")
"""Sections that only count if `job.env_type` names them: jobman's files may have several."""


class JobSection(Section):
    """The job itself."""

    name: str = Field(
        "",
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$",
        description="Name for people; by default the file's name.",
    )
    env_type: str = Field("host", description="Plugin that prepares the workers, for example host or venv.")
    loop: bool = Field(False, description="Whether the job starts again whenever it has ended.")
    remote_user: str | None = Field(None, description="Login name on the workers.")
    id: Any = Field(None, exclude=True, description="Written by jobman; ignored.")
    user: Any = Field(None, exclude=True, description="Written by jobman; ignored.")
    dir: Any = Field(None, exclude=True, description="Written by jobman; ignored.")


class WorkloadSection(Section):
    """What runs."""

    kind: str = Field("command", description="Plugin that runs the work, for example command.")


class OutputSection(Section):
    """Where results go."""

    directory: str | None = Field(None, description="Folder or gs:// address as the workers see it.")


class TimeoutsSection(Section):
    """How long things may take."""

    grace_s: float = Field(10.0, ge=0, description="Seconds between asking the work to stop and killing it.")
    workload_s: float | None = Field(None, gt=0, description="Longest run of one attempt, in seconds.")


class JobSpec(Section):
    """One job, as its file describes it."""

    installed: ClassVar[tuple[ConfigSection, ...]] = ()
    """The sections of installed plugins; see `assemble.job_model`."""

    job: JobSection = Field(default_factory=JobSection, description="The job itself.")
    cloud: str = Field("google", description="Plugin for the cloud, for example google or emulator.")
    tpu: TpuSection = Field(description="Which TPUs to get.")
    fleet: FleetSection | None = Field(
        None, description="Runs the job several times, over all of tpu.zones; the jobs share one work."
    )
    code: CodeSection = Field(default_factory=CodeSection, description="How the code gets to the workers.")
    workload: WorkloadSection = Field(default_factory=WorkloadSection, description="What runs.")
    environment: EnvironmentSection = Field(
        default_factory=EnvironmentSection, description="What is checked when an environment is made."
    )
    env: dict[str, Value] = Field({}, description="Environment variables of the work; secrets by reference.")
    ports: Ports = Field(
        (), description="Ports of workers that are open on this machine, too, while the work runs."
    )
    recovery: RecoverySection = Field(
        default_factory=RecoverySection, description="What happens after a failure."
    )
    detection: DetectionSection = Field(
        default_factory=DetectionSection, description="How failures are recognized."
    )
    output: OutputSection = Field(default_factory=OutputSection, description="Where results go.")
    timeouts: TimeoutsSection = Field(
        default_factory=TimeoutsSection, description="How long things may take."
    )
    gcsfuse: GcsfuseSection | None = Field(None, description="Buckets as folders of the workers.")
    ssh: SshSection | None = Field(None, description="SSH keys.")
    docker: DockerSection | None = Field(None, description="The container in which the work runs.")
    conda: CondaSection | None = Field(None, description="The conda environment in which the work runs.")

    @field_validator("env")
    @classmethod
    def _names_are_variables(cls, value: dict[str, Value]) -> dict[str, Value]:
        for name in value:
            if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
                raise wrong(f"{name!r} is no name of a variable: letters, digits and underscores")
        return value

    @property
    def whole_fleet(self) -> FleetSection | None:
        """The fleet that this file describes; `None` for single jobs, also for members of fleets."""
        return self.fleet if self.fleet is not None and self.fleet.member is None else None

    def section(self, model_type: type[SectionT]) -> SectionT:
        """Return a plugin's own section; its defaults, if the file has none.

        Raises:
            ConfigError: The file has none, and a key of it is required.
            PluginError: No installed plugin contributed a section of this type.
        """
        name = self._name_of(model_type)
        value = getattr(self, name)
        return value if isinstance(value, model_type) else _defaults(name, model_type)

    def pending(self) -> tuple[str, ...]:
        """Name what this file asks for and no installed plugin carries out yet."""
        present = [name for name in self._not_carried_out() if getattr(self, name) is not None]
        loop = ["job.loop"] if self.job.loop else []
        return tuple(loop + [name for name in present if name not in self._other_environments()])

    def without_effect(self) -> tuple[str, ...]:
        """Name the sections that nobody looks at: no plugin has them, or another environment was chosen."""
        return (*self._not_carried_out(), *self._other_environments())

    def _not_carried_out(self) -> list[str]:
        carried = {section.name for section in self.installed}
        return [name for name in RESERVED if name not in carried]

    def _other_environments(self) -> list[str]:
        return [name for name in ENVIRONMENTS if name != self.job.env_type]

    def _name_of(self, model_type: type[BaseModel]) -> str:
        for section in self.installed:
            if section.model is model_type:
                return section.name
        raise PluginError(f"no installed plugin contributes a section of type {model_type.__qualname__}")


def _defaults(name: str, model_type: type[SectionT]) -> SectionT:
    try:
        return model_type()
    except ValidationError as error:
        missing = ", ".join(f"{name}.{item['loc'][0]}" for item in error.errors() if item["loc"])
        raise ConfigError(f"section '{name}' is missing; required: {missing or name}") from error
