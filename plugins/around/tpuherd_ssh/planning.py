"""What `plan` says about keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import PlanStep
from tpuherd.config.jobman import SshSection
from tpuherd.config.secrets import SecretRef
from tpuherd_ssh.identity_files import key_name, ssh_files

if TYPE_CHECKING:
    from pathlib import Path

    from tpuherd.config.jobman import Identity
    from tpuherd.config.spec import JobSpec


def steps(spec: JobSpec, base_directory: Path) -> list[PlanStep]:
    """One step for each file in `~/.ssh`, and for each key that stays here.

    Raises:
        ConfigError: a key that is to be copied cannot be read.
    """
    section = spec.section(SshSection)
    names = [file.name for file in ssh_files(section, base_directory)]
    copied = [f"write ~/.ssh/{name}" for name in names]
    stay = [_stays(one, number) for number, one in enumerate(section.identities)]
    return [
        PlanStep(stage="equip_workers", where="every worker", action=action)
        for action in (*copied, *filter(None, stay))
    ]


def _stays(one: Identity, number: int) -> str:
    if one.private_key is None or isinstance(one.private_key, SecretRef):
        return ""
    return (
        f"nothing for the private key {key_name(one, number)}, which stays here: to copy it, "
        f"write private_key: {{file: {one.private_key}}}"
    )
