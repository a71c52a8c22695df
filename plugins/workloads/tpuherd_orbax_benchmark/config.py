"""The `orbax_benchmark` section of the job file."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, model_validator

from tpuherd.config.sections import Section, wrong


class OrbaxBenchmarkSection(Section):
    """Which benchmarks of Orbax's harness run, and how."""

    config: str | None = Field(
        None, description="Name of a config that Orbax ships, for example pytree_checkpoint_benchmark."
    )
    config_file: Path | None = Field(
        None,
        description="A config of your own in its place: a file on this machine, from the job file's folder.",
    )
    local_directory: str | None = Field(
        None,
        description="Each worker's own folder, for emergency checkpoints, such as ~/checkpoints: ~ and "
        "variables are the worker's. The job gets a folder in it, which a restarted attempt finds as it "
        "was left.",
    )
    flags: tuple[str, ...] = Field((), description="More flags for run_benchmarks, for example --v=1.")

    @model_validator(mode="after")
    def _exactly_one(self) -> OrbaxBenchmarkSection:
        if (self.config is None) == (self.config_file is None):
            raise wrong("expected either `config: NAME` or `config_file: PATH`")
        return self
