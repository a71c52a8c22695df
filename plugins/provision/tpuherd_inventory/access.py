"""How to log in to machines that no cloud knows: `cloud: inventory`."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd import Cloud, SshAccess
from tpuherd_inventory.config import InventorySection, SshSection

if TYPE_CHECKING:
    from tpuherd.config.spec import JobSpec

NAME = "inventory"
"""Of the cloud, and of its project."""


def own_machines(spec: JobSpec) -> Cloud:
    """The cloud that is none: there is no API, only machines, and a key that is read at first use."""
    ssh = spec.section(InventorySection).ssh or SshSection()
    key = Path(ssh.identity_file).expanduser()
    public = key.with_name(key.name + ".pub")
    access = SshAccess(
        user=ssh.user or spec.job.remote_user or getpass.getuser(),
        private_key=str(key),
        public_key=public.read_text().strip() if public.is_file() else "",
        port=ssh.port,
    )
    return Cloud(name=NAME, project=NAME, ssh=access)
