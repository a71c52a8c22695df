"""How an environment is made on a worker."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from tpuherd.envs.clocks import MARK

if TYPE_CHECKING:
    from tpuherd.config.environment import EnvironmentSection

KIB_PER_GIB = 1 << 20
SAY_TIME = f"date '+{MARK}%s.%N'"
"""The first thing that a worker does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A folder on every worker, and the script that fills it."""

    action: str
    """What is done, for people: `making the virtual environment`."""
    folder: str
    """The folder, below `~/.tpuherd`; its name has the key."""
    key: str
    """See `environment_key`."""
    script: str
    """Bash text. It defines `works`, which says whether a finished environment can still be used, calls
    `begin`, fills `$folder`, and calls `finish` with a command that prints lines `name==version`; see
    `worker.sh`."""
    arguments: tuple[str, ...] = ()
    """`$1`, `$2` … of the script; no secrets."""
    stdin: bytes = field(default=b"", repr=False)
    """Its standard input; secrets only come this way."""
    timeout_s: float
    """Longest run on one worker."""

    def words(self, settings: EnvironmentSection) -> list[str]:
        """The command for a worker."""
        return self._words(settings, only_look="")

    def words_to_look(self, settings: EnvironmentSection) -> list[str]:
        """The command for a worker that only says whether the environment is there."""
        return self._words(settings, only_look="yes")

    def _words(self, settings: EnvironmentSection, only_look: str) -> list[str]:
        header = _assignments(
            only_look=only_look,
            folder=f"$HOME/.tpuherd/{self.folder}",
            checked=f"$HOME/.tpuherd/preflight/{self.key}",
            disk_gib=f"{settings.disk_gib:g}",
            disk_kib=str(round(settings.disk_gib * KIB_PER_GIB)),
            lock_timeout_s=str(round(settings.lock_timeout_s)),
        )
        text = "\n".join([SAY_TIME, header, _library(), self.script])
        return ["bash", "-c", text, "tpuherd", *self.arguments]


def _assignments(**values: str) -> str:
    """Only a leading `$HOME` is special."""
    return "\n".join(f"{name}={_word(value)}" for name, value in values.items())


def _word(value: str) -> str:
    home = "$HOME/"
    return f'"$HOME"/{shlex.quote(value[len(home) :])}' if value.startswith(home) else shlex.quote(value)


@cache
def _library() -> str:
    return files("tpuherd.envs").joinpath("worker.sh").read_text()
