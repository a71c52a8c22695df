"""Files in `~/.ssh` of all workers, and their end."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from tpuherd.around import LEAVE_S, do, leave
from tpuherd.config.jobman import SshSection
from tpuherd.envs import Recipe
from tpuherd_ssh.identity_files import ssh_files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd import Allocation, Job
    from tpuherd_ssh.identity_files import SshFile

INSTALL_S = 60.0


def install(job: Job, allocation: Allocation) -> None:
    """Write the files on all workers at once; they travel over standard input.

    Raises:
        ConfigError: a key cannot be read.
        PrepareError: a worker has another file of that name.
    """
    wanted = ssh_files(job.spec.section(SshSection), job.base_directory)
    do(job, allocation, _recipe("install", "writing ~/.ssh", INSTALL_S, wanted))


def remove(job: Job, allocation: Allocation) -> None:
    """Remove what `install` has written.

    Raises:
        PrepareError: something could not be removed.
    """
    leave(job, allocation, _recipe("remove", "removing keys from ~/.ssh", LEAVE_S, ()))


def _recipe(what: str, action: str, timeout_s: float, wanted: Sequence[SshFile]) -> Recipe:
    words = [word for file in wanted for word in (file.mode, file.name, file.content)]
    return Recipe(
        action=action,
        folder="ssh",
        key="ssh",
        script=files("tpuherd_ssh").joinpath("install.sh").read_text(),
        arguments=(what,),
        stdin="".join(f"{word}\0" for word in words).encode(),
        timeout_s=timeout_s,
    )
