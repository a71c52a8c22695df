"""What a project says in its pyproject.toml that it needs."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

from tpuherd import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def dependencies(path: Path, extras: Sequence[str]) -> list[str]:
    """The requirements of a project and of some of its extras.

    The project itself is not among them: the code comes with every attempt (`code.sync`, `code.editable`).

    Raises:
        ConfigError: the pyproject.toml cannot be read, it names its dependencies only when built, or it has
            no such extra.
    """
    project = _table(path)
    unknown = {"dependencies", "optional-dependencies"} & set(project.get("dynamic", ()))
    if unknown:
        raise ConfigError(f"venv.project: {path} makes {' and '.join(sorted(unknown))} dynamic; list them")
    return [*project.get("dependencies", ()), *_of_extras(path, project, extras, ())]


def _table(path: Path) -> dict[str, Any]:
    try:
        content = tomllib.loads(path.read_text())
    except OSError as error:
        raise ConfigError(f"venv.project: cannot read {path}: {error.strerror}") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"venv.project: {path}: {error}") from error
    if "project" not in content:
        raise ConfigError(f"venv.project: {path} has no [project] table")
    table: dict[str, Any] = content["project"]
    return table


def _of_extras(
    path: Path, project: dict[str, Any], extras: Sequence[str], above: tuple[str, ...]
) -> list[str]:
    """An extra may refer to others of the same project: `all = ["name[a,b]"]`."""
    offered = {_normal(name): needs for name, needs in project.get("optional-dependencies", {}).items()}
    found: list[str] = []
    for extra in map(_normal, extras):
        if extra not in offered:
            has = ", ".join(sorted(offered)) or "none"
            raise ConfigError(f"venv.extras: {path} has no extra {extra!r}; it has {has}")
        for need in offered[extra]:
            own = _own_extras(need, project.get("name", ""))
            inner = [name for name in own or () if _normal(name) not in (*above, extra)]
            found += [need] if own is None else _of_extras(path, project, inner, (*above, extra))
    return found


def _own_extras(need: str, name: str) -> list[str] | None:
    match = re.match(r"\s*([A-Za-z0-9._-]+)\s*\[([^\]]*)\]", need)
    if match is None or _normal(match[1]) != _normal(name):
        return None
    return [extra.strip() for extra in match[2].split(",") if extra.strip()]


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
