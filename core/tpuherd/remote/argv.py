"""Commands as words: never a shell string from user input."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tpuherd.model.allocation import Worker
    from tpuherd.model.cloud import SshAccess


def quote(argv: Sequence[str]) -> str:
    """One shell line that runs exactly these words."""
    return shlex.join(argv)


def interactive_argv(worker: Worker, access: SshAccess, known_hosts: Path) -> list[str]:
    """The OpenSSH client's command line for a terminal on `worker`.

    It uses the same key and the same host key file as `RemoteWorkers`, reads no configuration file, asks no
    agent, and gives up 9 s after the worker went silent.
    """
    options = {
        "IdentityFile": _path(access.private_key),
        "IdentitiesOnly": "yes",
        "IdentityAgent": "none",
        "UserKnownHostsFile": _path(str(known_hosts)),
        "GlobalKnownHostsFile": "none",
        "HostKeyAlias": worker.host_key_name,
        "StrictHostKeyChecking": "accept-new",
        "HashKnownHosts": "no",
        "CheckHostIP": "no",
        "UpdateHostKeys": "no",
        "TCPKeepAlive": "yes",
        "ServerAliveInterval": "3",
        "ServerAliveCountMax": "3",
    }
    words = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
    return ["ssh", "-F", "none", *words, "-p", str(access.port), "-l", access.user, "--", worker.ssh_address]


def _path(path: str) -> str:
    """A path as ssh_config(5) wants it: in quotes, because of spaces, and with its `%` doubled."""
    return '"' + path.replace("%", "%%") + '"'
