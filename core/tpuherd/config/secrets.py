"""Values that are referred to, and only read when a worker needs them."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, model_validator

from tpuherd.config.sections import Section, expecting, wrong
from tpuherd.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECRET_ENDINGS = (
    "apikey",
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "credential",
    "credentials",
)
_HARMLESS_WORDS = {"public", "path", "file", "dir", "directory", "name", "id", "url", "count", "length"}


class SecretRef(Section):
    """Where a secret is; never the secret itself."""

    env: str | None = Field(
        None, min_length=1, description="Name of a variable of the controller's environment."
    )
    file: str | None = Field(
        None, min_length=1, description="File with the secret, from the job file's folder."
    )

    @model_validator(mode="after")
    def _exactly_one(self) -> SecretRef:
        if (self.env is None) == (self.file is None):
            raise wrong("expected either {env: NAME} or {file: PATH}")
        return self


Value = Annotated[
    str | int | float | bool | SecretRef,
    expecting("text, a number, true, false, {env: NAME} or {file: PATH}"),
]
"""The value of an environment variable in a job file."""


def resolve(ref: SecretRef, base_directory: Path, key: str = "secret") -> str:
    """Read a secret; call it as late as possible, and keep the answer out of logs and files.

    Args:
        ref: Where it is.
        base_directory: Where relative paths start: the folder of the job file.
        key: The dotted key of the reference in the job file, for errors.

    Raises:
        ConfigError: The variable is not set, or the file cannot be read, or it is empty.
    """
    if ref.env is not None:
        return _from_environment(ref.env, key)
    return _from_file(base_directory / Path(str(ref.file)).expanduser(), key)


def variables(values: Mapping[str, Any], base_directory: Path) -> dict[str, str]:
    """Turn the `env` section of a job file into variables of a process, secrets read.

    Args:
        values: `spec.env`.
        base_directory: The folder of the job file.

    Raises:
        ConfigError: A secret cannot be read; the message names its key.
    """
    return {name: _text(value, base_directory, f"env.{name}") for name, value in values.items()}


def looks_secret(name: str) -> bool:
    """Say whether a key or variable of this name probably holds a secret, for example `WANDB_API_KEY`."""
    words = [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]
    secret = any(word == "key" or word.endswith(_SECRET_ENDINGS) for word in words)
    return secret and not _HARMLESS_WORDS & set(words)


def _text(value: Any, base_directory: Path, key: str) -> str:
    if isinstance(value, SecretRef):
        return resolve(value, base_directory, key)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _from_environment(name: str, key: str) -> str:
    value = os.environ.get(name, "")
    if not value:
        raise ConfigError(f"{key}: variable {name} is not set here; set it before starting tpuherd")
    return value


def _from_file(path: Path, key: str) -> str:
    try:
        value = path.read_text(encoding="utf-8").removesuffix("\n")
    except OSError as error:
        raise ConfigError(f"{key}: cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{key}: {path} is not UTF-8 text") from error
    if not value:
        raise ConfigError(f"{key}: {path} is empty")
    return value
