"""All that is to be installed, as one requirements file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd_venv.config import NEWEST, NIGHTLY
from tpuherd_venv.including import whole
from tpuherd_venv.project import dependencies

if TYPE_CHECKING:
    from pathlib import Path

    from tpuherd_venv.config import VenvSection

NIGHTLY_FLOOR = ">=0.0.dev0"
"""uv takes pre-releases only of what asks for one by name."""


def requirements(venv: VenvSection, base_directory: Path, devices: str) -> str:
    """The file's, the project's, the list's, and JAX for these devices.

    Args:
        venv: the section.
        base_directory: where relative paths start.
        devices: `tpu` or `cpu`; see `Cloud.devices`.

    Raises:
        ConfigError: a file cannot be read, or the project does not say what it needs.
    """
    parts = [*_jax(venv, devices), *_file(venv, base_directory), *_project(venv, base_directory)]
    return "\n".join([*parts, *venv.packages]) + "\n"


def _jax(venv: VenvSection, devices: str) -> list[str]:
    """With `requests`: JAX asks a TPU's metadata server with it."""
    links = [f"--find-links {venv.jax_find_links}"] if venv.jax_find_links else []
    if venv.jax is None:
        return links
    if venv.jax == NIGHTLY:
        parts = ["jax", "jaxlib", *(["libtpu"] if devices == "tpu" else [])]
        wanted = [f"--extra-index-url {venv.jax_nightly_index}", *(part + NIGHTLY_FLOOR for part in parts)]
    else:
        name = "jax[tpu]" if devices == "tpu" else "jax"
        wanted = [name if venv.jax == NEWEST else f"{name}=={venv.jax}"]
    return [*links, *wanted, "requests"]


def _file(venv: VenvSection, base_directory: Path) -> list[str]:
    if venv.requirements_file is None:
        return []
    return [whole(base_directory / venv.requirements_file.expanduser())]


def _project(venv: VenvSection, base_directory: Path) -> list[str]:
    if venv.project is None:
        return []
    return dependencies(base_directory / venv.project.expanduser(), venv.extras)
