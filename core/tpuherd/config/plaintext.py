"""Secrets that somebody wrote into a job file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.config.interpolation import leaves
from tpuherd.config.secrets import looks_secret

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tpuherd.config.document import Document
    from tpuherd.config.problems import KeyPath, Problem

_KEY_FILES = "ssh"
"""The section whose keys are paths of key files."""


def secrets_in(document: Document) -> Iterator[Problem]:
    """Yield a problem, without the value, for every text under a name such as `WANDB_API_KEY`."""
    for path, value in leaves(document.data):
        if path[0] == _KEY_FILES or not isinstance(value, str) or not value:
            continue
        name = _name(path, value)
        if looks_secret(name):
            yield document.problem(path, _advice(name, path))


def _name(path: KeyPath, value: str) -> str:
    """The name that the value is under: its key, or the part before `=` of an entry of `docker.env_vars`."""
    if path[:2] == ("docker", "env_vars"):
        name, _, text = value.partition("=")
        return name if text else ""
    owner = [part for part in path if isinstance(part, str)]
    return "" if _is_reference(path) else owner[-1]


def _is_reference(path: KeyPath) -> bool:
    """`env.WANDB_API_KEY.env` is a reference; the name of a secret is no secret."""
    return len(path) > 1 and path[-1] in {"env", "file"}


def _advice(name: str, path: KeyPath) -> str:
    reference = f"{name}: {{env: {name}}} or {name}: {{file: PATH}}"
    where = "write" if path[0] == "env" else "put into the section env"
    return f"looks like a secret in plain text; {where} {reference}"
