"""Finding and reading the job file itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.config.choices import nearest
from tpuherd.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


def read_job_file(path: Path) -> str:
    """Return the text of a job file.

    Raises:
        ConfigError: There is none, or it cannot be read; the message names the job files that are there.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such file; {_files_near(path)}") from None
    except IsADirectoryError:
        raise ConfigError(
            f"{path}: is a folder, expected a job file; {_files_near(path / 'job.yaml')}"
        ) from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is not UTF-8 text, so it is no job file") from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error


def _files_near(path: Path) -> str:
    if not path.parent.is_dir():
        return f"there is no folder {path.parent} either"
    files = sorted(file.name for file in path.parent.iterdir() if file.suffix in {".yaml", ".yml"})
    return nearest(path.name, files) if files else f"there are no YAML files in {path.parent}"
