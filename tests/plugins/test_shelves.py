"""Each `plugins/<kind>/` is a source root: whatever lies in it lands in site-packages under its own name."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
SHELVES = sorted(
    path for path in (ROOT / "plugins").iterdir() if path.is_dir() and path.name != "__pycache__"
)
PACKAGES = [
    path
    for shelf in SHELVES
    for path in sorted(shelf.iterdir())
    if path.name != "__pycache__" and any(file.suffix == ".py" for file in path.rglob("*"))
]
ENTRY_POINTS = PROJECT["project"]["entry-points"]["tpuherd"]


def test_there_is_something_on_the_shelves():
    assert {"tpuherd_tpu_vm", "tpuherd_venv", "tpuherd_command"} <= {path.name for path in PACKAGES}


def test_nothing_but_packages_named_tpuherd_lies_on_a_shelf():
    assert [path.name for path in PACKAGES if not path.name.startswith("tpuherd_") or not path.is_dir()] == []
    assert [file for shelf in SHELVES for file in shelf.iterdir() if file.is_file()] == []


def test_every_package_has_an_entry_point_of_its_name_and_says_that_it_is_typed():
    assert sorted(ENTRY_POINTS.values()) == sorted(path.name for path in PACKAGES)
    assert all(module == f"tpuherd_{name}" for name, module in ENTRY_POINTS.items())
    assert [path.name for path in PACKAGES if not (path / "py.typed").exists()] == []


def test_source_roots_are_no_packages():
    roots = [ROOT / "core", ROOT / "plugins", *SHELVES]
    assert [root for root in roots if (root / "__init__.py").exists()] == []


def test_the_wheel_has_all_shelves():
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    used = {path.parent.relative_to(ROOT).as_posix() for path in PACKAGES}
    assert set(wheel["sources"]) == {"core", *used}


def test_the_import_contracts_know_every_plugin():
    names = {path.name for path in PACKAGES}
    linter = PROJECT["tool"]["importlinter"]
    contracts = {contract["name"]: contract for contract in linter["contracts"]}
    assert names <= set(linter["root_packages"])
    assert set(contracts["core imports no plugin"]["forbidden_modules"]) == names
    assert set(contracts["plugins do not import one another"]["modules"]) == names
