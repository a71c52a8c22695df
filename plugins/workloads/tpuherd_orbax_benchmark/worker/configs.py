"""Which benchmark config is meant: a file, or one of those in the orbax-checkpoint wheel."""

from __future__ import annotations

import difflib
from importlib.util import find_spec
from pathlib import Path

HARNESS = "checkpoint/_src/testing/benchmarks"


class UnknownConfigError(Exception):
    """There is no such file, and no shipped config of that name (or more than one)."""


def harness_root() -> Path | None:
    """Return the folder of the harness in this interpreter's orbax-checkpoint; `None` if there is none.

    `orbax` is a namespace package: looking it up does not import JAX, so a wrong name is answered at once.
    """
    spec = find_spec("orbax")
    folders = [Path(place) / HARNESS for place in (spec and spec.submodule_search_locations) or ()]
    return next((folder for folder in folders if folder.is_dir()), None)


def shipped_configs(root: Path) -> dict[str, Path]:
    """Return the configs below the harness's folder by name.

    The name is the path without `configs` folders and suffix: `pytree_checkpoint_benchmark`,
    `evaluations/model_sizes/llama-8b`, `safetensors/llama3-8b`.
    """
    files = (path.relative_to(root) for path in sorted(root.rglob("*.yaml")))
    return {_name(file): root / file for file in files if "configs" in file.parts}


def resolve(config: str, root: Path | None) -> str:
    """Find a config.

    Args:
        config: A path, a URL, or the name of a shipped config, also without its folders or with `.yaml`.
        root: The harness's folder, see `harness_root`; `None`: only paths are known.

    Returns:
        The path or URL of the YAML file.

    Raises:
        UnknownConfigError: There is none, or the name fits several; the message lists the nearest.
    """
    if "://" in config or Path(config).is_file():
        return config
    known = shipped_configs(root) if root else {}
    name = _name(Path(config))
    fitting = [known[name]] if name in known else [p for n, p in known.items() if n.endswith(f"/{name}")]
    if len(fitting) == 1:
        return str(fitting[0])
    raise UnknownConfigError(_complaint(config, name, known, ambiguous=bool(fitting)))


def _name(file: Path) -> str:
    plain = file.with_suffix("") if file.suffix in {".yaml", ".yml"} else file
    return "/".join(part for part in plain.parts if part != "configs")


def _complaint(config: str, name: str, known: dict[str, Path], *, ambiguous: bool) -> str:
    if not known:
        return f"config {config!r}: no such file, and no orbax-checkpoint here that ships configs"
    if ambiguous:
        several = ", ".join(full for full in known if full.endswith(f"/{name}"))
        return f"config {config!r} fits several shipped configs, give the full name: {several}"
    nearest = ", ".join(_nearest(name, known))
    return f"config {config!r}: no such file and no shipped config of that name; nearest: {nearest}"


def _nearest(name: str, known: dict[str, Path]) -> list[str]:
    last = name.rsplit("/", 1)[-1]
    likeness = {
        full: max(
            difflib.SequenceMatcher(None, a, b).ratio()
            for a, b in ((name, full), (last, full.rsplit("/", 1)[-1]))
        )
        for full in known
    }
    return sorted(known, key=lambda full: -likeness[full])[:4]
