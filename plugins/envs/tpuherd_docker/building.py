"""Building the image of a Dockerfile on every worker."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from tpuherd import ConfigError, PrepareError
from tpuherd.errors import SyncError

if TYPE_CHECKING:
    from pathlib import Path

    from tpuherd import Allocation, Job
    from tpuherd.code.snapshot import Snapshot
    from tpuherd_docker.config import Build


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The folder that an image is built of, as it is on the disk now."""

    root: Path
    snapshot: Snapshot
    dockerfile: str
    """Its name in the folder."""


def context_folder(build: Build, base_directory: Path) -> Path:
    """The folder that an image is built of.

    Raises:
        ConfigError: there is no such folder, or the Dockerfile is outside.
    """
    dockerfile = _dockerfile(build, base_directory)
    folder = (base_directory / build.context).resolve() if build.context else dockerfile.parent
    if not folder.is_dir():
        raise ConfigError(f"docker.build.context: {folder} is no folder")
    if not dockerfile.is_relative_to(folder):
        raise ConfigError(f"docker.build.dockerfile: {dockerfile} is outside of the context {folder}")
    return folder


def take_context(build: Build, base_directory: Path) -> Context:
    """Take in the context: what git tracks and does not ignore; nothing is sent yet.

    Raises:
        ConfigError: see `context_folder`.
        PrepareError: the folder cannot be read, or there is nothing in it.
    """
    from tpuherd.code.snapshot import take_snapshot

    root = context_folder(build, base_directory)
    try:
        snapshot = take_snapshot(root)
    except SyncError as error:
        raise PrepareError(f"docker.build.context: {error}") from error
    name = PurePosixPath(_dockerfile(build, base_directory).relative_to(root))
    return Context(root=root, snapshot=snapshot, dockerfile=str(name))


def send_context(job: Job, allocation: Allocation, context: Context) -> None:
    """Bring the context to all workers, as code is brought: where it is the code, that is sent once.

    Raises:
        PrepareError: it did not arrive on some worker.
    """
    from tpuherd.code.sending import send

    code = job.spec.code.model_copy(update={"editable": ()})
    plain = replace(job, spec=job.spec.model_copy(update={"code": code}))
    try:
        send(plain, allocation, context.snapshot, kind="docker", root=context.root)
    except SyncError as error:
        raise PrepareError(f"docker.build.context: {error}") from error


def _dockerfile(build: Build, base_directory: Path) -> Path:
    return (base_directory / build.dockerfile.expanduser()).resolve()
