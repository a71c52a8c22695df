"""The file that describes a conda environment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from tpuherd_conda.config import CondaEnvironment


def description(conda: CondaEnvironment, base_directory: Path) -> str:
    """The text of the file, which is a YAML map with dependencies.

    Raises:
        ConfigError: it cannot be read, or it describes no environment.
    """
    import yaml

    path = base_directory / conda.config_file.expanduser()
    try:
        text = path.read_text(encoding="utf-8-sig")
        content = yaml.safe_load(text)
    except OSError as error:
        raise ConfigError(f"conda.config_file: cannot read {path}: {error.strerror}") from error
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"conda.config_file: {path} is no YAML: {error}") from error
    if not isinstance(content, dict) or not isinstance(content.get("dependencies"), list):
        raise ConfigError(f"conda.config_file: {path} has no list of dependencies")
    return text
