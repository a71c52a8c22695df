"""Sections of jobman's files that are understood before a plugin carries them out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from tpuherd.config.folders import OwnFolder
from tpuherd.config.secrets import SecretRef
from tpuherd.config.sections import Section, expecting

KeyFile = Annotated[str | SecretRef, expecting("{file: PATH}, {env: NAME}, or a path alone")]


class GcsfuseCache(Section):
    """How gcsfuse caches."""

    dir: str | None = Field(None, description="Folder of the file cache on the worker.")
    metadata_ttl_secs: int | None = Field(
        None, ge=-1, description="Lifetime of metadata, in seconds; -1: for ever."
    )
    stat_cache_max_size_mb: int | None = Field(None, ge=-1, description="Size of the stat cache, in MB.")
    type_cache_max_size_mb: int | None = Field(None, ge=-1, description="Size of the type cache, in MB.")
    file_cache_max_size_mb: int | None = Field(None, ge=-1, description="Size of the file cache, in MB.")
    cache_file_for_range_read: bool | None = Field(None, description="Whether partial reads fill the cache.")
    enable_parallel_downloads: bool | None = Field(None, description="Whether a file is fetched in parts.")
    prefix: str | None = Field(None, description="Shell script that runs before mounting.")


class Mount(Section):
    """One mounted bucket."""

    bucket_name: str = Field(min_length=1, description="The bucket, without gs://; in the region of the TPU.")
    mount_path: OwnFolder = Field(description="Where the bucket appears on every worker, from / or ~/.")
    cache: GcsfuseCache | None = Field(None, description="How gcsfuse caches.")


class GcsfuseSection(Mount):
    """Buckets as folders of the workers."""

    extra_mounts: tuple[Mount, ...] = Field((), description="More buckets.")


class Identity(Section):
    """One SSH identity for the workers."""

    private_key: KeyFile | None = Field(
        None,
        description="{file: PATH} or {env: NAME}: the private key is copied to the workers. A path alone, as "
        "jobman has it, only says which key is meant: it stays on this machine.",
    )
    public_key: str | None = Field(None, description="Public key file on this machine; it is copied.")
    name: str | None = Field(
        None,
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$",
        description="Name of the key in ~/.ssh of the workers; by default the name of its file.",
    )
    config_entry: str | None = Field(None, description="Lines for ~/.ssh/config on the workers.")


class SshSection(Section):
    """SSH keys: how this machine logs in, and what the workers get."""

    private_key: str | None = Field(
        None,
        pattern=r"^[~/]",
        description="Private key file, from / or ~/, with which this machine logs in to Google's TPU VMs.",
    )
    identities: tuple[Identity, ...] = Field((), description="Identities that every worker gets.")
    known_hosts: tuple[str, ...] = Field(
        (), description="Lines as in ~/.ssh/known_hosts: hosts, such as those of git, that workers trust."
    )


class DockerSection(Section):
    """The container in which the work runs."""

    image: str = Field(min_length=1, description="Image, best with a tag or digest.")
    env_vars: tuple[str, ...] = Field((), description="Variables of the container, as NAME=value.")
    mount_dirs: tuple[str, ...] = Field((), description="Folders of the worker, as PATH or PATH:PATH_INSIDE.")
    workdir: str | None = Field(None, description="Working folder in the container.")
    flags: tuple[str, ...] | None = Field(None, description="More arguments of `docker run`.")


class CondaSection(Section):
    """The conda environment in which the work runs."""

    name: str = Field(min_length=1, description="Name of the environment.")
    config_file: Path | None = Field(None, description="environment.yaml, from the job file's folder.")
