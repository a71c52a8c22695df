"""The `gcsfuse` section of the job file: jobman's, and more."""

from __future__ import annotations

from pydantic import Field, field_validator, model_validator

from tpuherd.config.jobman import GcsfuseSection, Mount
from tpuherd.config.sections import wrong


class Bucket(Mount):
    """One mounted bucket."""

    bucket_name: str = Field(
        pattern=r"^[a-z0-9][a-z0-9._-]{2,}$",
        description="The bucket, without gs://; in the region of the TPU.",
    )
    read_only: bool = Field(False, description="Whether nothing can be written through the mount.")
    only_dir: str | None = Field(
        None,
        pattern=r"^[^/-][^\n]*$",
        description="A folder of the bucket, which is mounted instead of all of it.",
    )
    implicit_dirs: bool = Field(
        True, description="Whether folders appear that only exist as a part of the names of objects."
    )
    options: tuple[str, ...] = Field(
        (), description="More options of gcsfuse, for example [-o, allow_other] for containers of root."
    )

    @field_validator("options")
    @classmethod
    def _leave_ours_alone(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for option in value:
            if option.lstrip("-").partition("=")[0] in {
                "foreground",
                "log-file",
                "only-dir",
                "implicit-dirs",
            }:
                raise wrong(f"{option!r} has a key of its own, or is tpuherd's own")
        return value


class Buckets(Bucket, GcsfuseSection):
    """Buckets as folders of the workers."""

    extra_mounts: tuple[Bucket, ...] = Field((), description="More buckets.")
    program: str = Field(
        "gcsfuse", pattern=r"^[^\s-]\S*$", description="The program on the workers: a name or a path."
    )
    install: bool = Field(
        True, description="Whether gcsfuse is installed from Google's packages where it is missing."
    )

    @model_validator(mode="after")
    def _each_folder_once(self) -> Buckets:
        paths = [mount.mount_path for mount in self.mounts]
        if len(set(paths)) != len(paths):
            raise wrong("two buckets have the same mount_path")
        return self

    @property
    def mounts(self) -> tuple[Bucket, ...]:
        """All buckets."""
        return (self, *self.extra_mounts)
