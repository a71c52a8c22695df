"""What a new SSH session would get its variables from, and whether it is still the same."""

from __future__ import annotations

import os

FILES = (
    "/etc/environment",
    "/etc/bash.bashrc",
    "/etc/bashrc",
    "/etc/zsh/zshenv",
    "/etc/zshenv",
    "~/.bashrc",
    "~/.zshenv",
    "~/.pam_environment",
    "~/.ssh/environment",
    "~/.ssh/rc",
)
"""Read by login, by SSH servers, or by shells for each command."""


class Surroundings:
    """These files as they were when this process started."""

    def __init__(self) -> None:
        """Looks at them."""
        self._stamps = {path: _stamp(path) for path in map(os.path.expanduser, FILES)}

    @property
    def changed(self) -> str:
        """What has changed, in words; empty: nothing has."""
        changed = (path for path, before in self._stamps.items() if _stamp(path) != before)
        return next((f"{path} has changed" for path in changed), "")


def _stamp(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116  (for each call)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_ctime_ns
