"""Running git: words in, bytes out, and nothing of the caller's own git session in between."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from tpuherd.errors import SyncError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

OF_A_SESSION = {
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
}
"""What git sets for hooks and aliases: with these, a command elsewhere would change their repository."""

ALWAYS = {
    "LC_ALL": "C",
    "GIT_OPTIONAL_LOCKS": "0",  # looking at a repository must not write its index
    "GIT_TERMINAL_PROMPT": "0",  # nobody may be there to answer
}


class GitError(SyncError):
    """Git refused; the message has its last words."""


def git(
    *words: str,
    cwd: Path,
    variables: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    timeout_s: float | None = None,
) -> bytes:
    """Run git and return what it printed.

    Args:
        words: the command's words, without `git`.
        cwd: where it runs.
        variables: added to the environment.
        stdin: its input.
        timeout_s: for commands that use a network.

    Raises:
        GitError: it failed, or took too long; or git is not installed here.
    """
    inherited = {name: value for name, value in os.environ.items() if name not in OF_A_SESSION}
    try:
        done = subprocess.run(
            ["git", *words],
            cwd=cwd,
            env={**inherited, **ALWAYS, **(variables or {})},
            input=stdin,
            capture_output=True,
            timeout=timeout_s,
        )
    except FileNotFoundError as error:
        raise GitError("git is not installed on this machine; sending code needs it") from error
    except subprocess.TimeoutExpired as error:
        raise GitError(f"`git {words[0]}` did not end within {timeout_s:g} s") from error
    if done.returncode != 0:
        raise GitError(_last_words(done.stderr) or f"`git {words[0]}` ended with {done.returncode}")
    return done.stdout


def _last_words(stderr: bytes) -> str:
    said = stderr.decode(errors="replace").splitlines()
    lines = [line for line in said if line.strip() and not line.startswith("hint:")]
    return "\n".join(lines[-4:]).strip()
