"""Write what the documentation takes from the code; `--check` only says what is out of date."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

import included

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    "docs/reference/commands.md": "commands",
    "docs/reference/detectors.md": "detectors",
    "docs/reference/environment-variables.md": "variables",
    "docs/reference/exit-codes.md": "exit_codes",
    "docs/reference/job-file.md": "job_file",
    "docs/reference/results.md": "results",
}
"""Path to the module beside this one whose `page()` gives the whole text."""


def wanted() -> dict[Path, str]:
    """Every file that is generated, or has generated parts, with the text that it should have."""
    pages = {ROOT / path: import_module(module).page() for path, module in PAGES.items()}
    parts = {path: included.renewed(path.read_text(), ROOT) for path in _written_by_hand() - pages.keys()}
    return pages | parts


def _written_by_hand() -> set[Path]:
    return {ROOT / "README.md", *(ROOT / "docs").rglob("*.md")}


def _outdated() -> dict[Path, str]:
    return {path: text for path, text in wanted().items() if not path.exists() or path.read_text() != text}


def _check() -> int:
    outdated = sorted(str(path.relative_to(ROOT)) for path in _outdated())
    if outdated:
        sys.stderr.write(f"out of date: {', '.join(outdated)}; run `scripts/docs`\n")
    return len(outdated) > 0


def _write() -> int:
    for path, text in _outdated().items():
        path.write_text(text)
        sys.stdout.write(f"written: {path.relative_to(ROOT)}\n")
    return 0


def _pictures() -> int:
    import pictures

    pictures.make(ROOT)
    return 0


ACTIONS = {(): _write, ("--check",): _check, ("--pictures",): _pictures}


def _only_built_in_plugins() -> None:
    """Whatever else is installed here has no place in the reference."""
    others = [point.name for point in entry_points(group="tpuherd") if point.dist.name != "tpuherd"]  # type: ignore[union-attr]
    os.environ["TPUHERD_DISABLE_PLUGINS"] = ",".join(others)
    os.environ.pop("TPUHERD_PLUGINS", None)


if __name__ == "__main__":
    _only_built_in_plugins()
    action = ACTIONS.get(tuple(sys.argv[1:]))
    sys.exit(action() if action else "usage: scripts/docs [--check | --pictures]")
