"""A file of OpenSSH host entries that tpuherd owns, and the one line of the user's that includes it."""

from __future__ import annotations

import os
import tempfile
from itertools import pairwise
from typing import TYPE_CHECKING

from tpuherd import paths
from tpuherd.remote import interactive_argv

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tpuherd.model.allocation import Worker
    from tpuherd.model.cloud import SshAccess

HEAD = "# Written by `tpuherd ssh-config --write`, which replaces all of it: do not edit.\n"


def managed_file() -> Path:
    """The file that is ours."""
    return paths.home() / "ssh_config"


def entry(names: Sequence[str], worker: Worker, access: SshAccess, known_hosts: Path) -> str:
    """The entry of one worker, with the options of `tpuherd ssh`.

    Args:
        names: under which `ssh` knows it.
        worker: the worker.
        access: how to log in.
        known_hosts: the file that pins its host key.
    """
    argv = interactive_argv(worker, access, known_hosts)
    options = [value.partition("=") for flag, value in pairwise(argv) if flag == "-o"]
    own = [("HostName", worker.ssh_address), ("Port", str(access.port)), ("User", access.user)]
    lines = [*own, *((name, value) for name, _, value in options)]
    return f"Host {' '.join(names)}\n" + "".join(f"  {name} {value}\n" for name, value in lines)


def include_line() -> str:
    """The line of the user's own file that includes ours."""
    return f'Include "{managed_file()}"'


def include(config: Path) -> bool:
    """Put the line at the top of the user's file, unless it has it; all else in there stays as it is.

    Args:
        config: the user's file; it is made if there is none.

    Returns:
        Whether it was put there.
    """
    there = config.read_text() if config.exists() else ""
    if include_line() in (line.strip() for line in there.splitlines()):
        return False
    config.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write(config.resolve(), f"{include_line()}\n{there}")
    return True


def write(path: Path, text: str) -> None:
    """Replace a file as a whole; its permissions stay, a new one is for its owner only."""
    mode = path.stat().st_mode & 0o7777 if path.exists() else 0o600
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
            os.fchmod(file.fileno(), mode)
        os.replace(temporary, path)  # noqa: PTH105 - a name from mkstemp
    except BaseException:
        os.unlink(temporary)  # noqa: PTH108 - as above
        raise
