"""What `start` is asked to start."""

from __future__ import annotations

import json
import os
from pathlib import PurePosixPath

from tpuherd_agent.attempt import OWN_NAMES, Attempt, find
from tpuherd_agent.errors import SPEC_WRONG, AgentError
from tpuherd_agent.processes import DIRECTORY_VARIABLE, ID_VARIABLE
from tpuherd_agent.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

LAUNCHERS = ("SLURM_", "OMPI_", "PMI_", "PMIX_")
"""Beginnings of the variables of other launchers. JAX asks these before it asks the TPU's metadata server:
one that is left over on a worker makes every process believe that it is the only one."""
SESSION = ("SSH_", "SSH2_")
"""Beginnings of the variables of the SSH session that started the agent: it is gone while the workload runs,
and because of them `bash -c` would read `~/.bashrc` once more."""


class Spec(NamedTuple):
    """One workload. `$HOME` at the start of `cwd`, of path entries and of variables is the home folder."""

    attempt: str
    script: str = ""
    """Text for bash (sh where there is none); either this or `argv`."""
    argv: list[str] = []  # noqa: RUF012  (a tuple's default, never written to)
    cwd: str = "$HOME"
    """Relative paths start at the home folder."""
    environment: dict[str, str] = {}  # noqa: RUF012
    """Variables added to the worker's own, those of `LAUNCHERS` and `SESSION` left out; never on the disk."""
    path_entries: list[str] = []  # noqa: RUF012
    """Folders put at the front of `PATH`."""
    files: dict[str, str] = {}  # noqa: RUF012
    """Text files put into the attempt's folder, by relative name."""
    grace_s: float = 10.0
    """Time between TERM and KILL of a `stop` that names none."""
    check_devices: bool = False
    """True: start only if nobody holds a TPU device."""
    end_command: list[str] = []  # noqa: RUF012
    """Words of a program that ends what runs outside the workload's processes; see `outside`. No secrets."""

    def command(self, attempt: Attempt) -> list[str]:
        """The argv of the workload's first process."""
        shell = "/bin/bash" if os.access("/bin/bash", os.X_OK) else "/bin/sh"
        return self.argv or [shell, str(attempt.script)]

    def working_directory(self, home: Path) -> Path:
        """Where it runs."""
        return home / _expand(self.cwd or "$HOME", home)

    def variables(self, attempt: Attempt, home: Path) -> dict[str, str]:
        """All its variables."""
        own = {name: _expand(value, home) for name, value in self.environment.items()}
        inherited = {
            name: value for name, value in os.environ.items() if not name.startswith(LAUNCHERS + SESSION)
        }
        merged = {**inherited, **own}
        entries = [_expand(entry, home) for entry in self.path_entries]
        merged["PATH"] = os.pathsep.join([*entries, merged.get("PATH", os.defpath)])
        return {**merged, ID_VARIABLE: attempt.identifier, DIRECTORY_VARIABLE: str(attempt.directory)}


def parse(text: bytes) -> Spec:
    """Reads a JSON spec.

    Raises:
        AgentError: It is wrong; the message names the key, never a variable's value.
    """
    try:
        record = json.loads(text)
    except ValueError as error:
        message = f"the spec on stdin is no JSON: {type(error).__name__} in {len(text)} bytes"
        raise AgentError(message, SPEC_WRONG) from None
    _require(isinstance(record, dict), "spec", "a JSON object")
    unknown = sorted(record.keys() - set(Spec._fields))
    _require(not unknown, ", ".join(unknown), f"one of {', '.join(Spec._fields)}")
    _require(isinstance(record.get("attempt"), str), "attempt", "an attempt id")
    find(record["attempt"])
    for name in record:
        what, is_right = _RULES[name]
        _require(is_right(record[name]), name, what)
    spec = Spec(**record)
    _require(bool(spec.script) != bool(spec.argv), "script, argv", "exactly one of the two, and not empty")
    return spec


def _require(condition: bool, key: str, what: str) -> None:  # noqa: FBT001
    if not condition:
        message = f"spec: {key}: expected {what}"
        raise AgentError(message, SPEC_WRONG)


def _expand(value: str, home: Path) -> str:
    starts = value == "$HOME" or value.startswith("$HOME/")
    return f"{home}{value[5:]}" if starts else value


def _is_text(value: object) -> bool:
    """True for a string that UTF-8 can hold."""
    try:
        return isinstance(value, str) and value.encode() is not None
    except UnicodeEncodeError:
        return False


def _is_word(value: object) -> bool:
    """True for a string that the operating system takes as an argument."""
    return _is_text(value) and "\0" not in str(value)


def _are_words(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_word, value))


def _are_folders(value: object) -> bool:
    return isinstance(value, list) and all(
        _is_word(entry) and entry.startswith(("$HOME", "/")) and ":" not in entry for entry in value
    )


def _are_variables(value: object) -> bool:
    return isinstance(value, dict) and all(map(_is_name, value)) and all(map(_is_word, value.values()))


def _is_name(name: str) -> bool:
    """True for what a shell can have as a variable."""
    return name.isascii() and name.isidentifier()


def _are_files(value: object) -> bool:
    return isinstance(value, dict) and all(map(_is_file_name, value)) and all(map(_is_text, value.values()))


def _is_file_name(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return bool(_is_word(name) and parts) and parts[0] not in OWN_NAMES | {"/"} and ".." not in parts


def _is_duration(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e6


_RULES = {
    "attempt": ("an attempt id", _is_word),
    "script": ("text", _is_text),
    "argv": ("a list of words", _are_words),
    "cwd": ("a folder", _is_word),
    "environment": ("a map of variable names (A-Z a-z 0-9 _) to text", _are_variables),
    "path_entries": ("a list of folders that begin with / or $HOME, without ':'", _are_folders),
    "files": (
        "a map of names inside the attempt's folder to text; .agent, output.log and script.sh are taken",
        _are_files,
    ),
    "grace_s": ("seconds, 0 or more", _is_duration),
    "check_devices": ("true or false", lambda value: isinstance(value, bool)),
    "end_command": ("a list of words", _are_words),
}
