"""Fake installed distributions: what pip leaves in site-packages, written by hand."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent


class Site:
    """A folder like site-packages; it has to be on `sys.path` or `PYTHONPATH`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def install(self, distribution: str, version: str, **plugins: str) -> None:
        """Write a distribution with one plugin for each keyword: its name and its module's source."""
        info = self.folder / f"{distribution.replace('-', '_')}-{version}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
        points = "".join(f"{name} = {self.module(name, text)}\n" for name, text in plugins.items())
        (info / "entry_points.txt").write_text(f"[tpuherd]\n{points}")

    def module(self, name: str, text: str) -> str:
        """Write a module that is no plugin by itself; returns its name."""
        module = f"fake_{name}"
        self.folder.mkdir(exist_ok=True)
        (self.folder / f"{module}.py").write_text(dedent(text))
        return module

    def forget(self) -> None:
        """Let another test have other modules of the same names."""
        for name, module in list(sys.modules.items()):
            if Path(getattr(module, "__file__", None) or "/").parent == self.folder:
                del sys.modules[name]


GOOD = """
    from tpuherd import GiveUp, hookimpl

    @hookimpl
    def recover(job, diagnosis, history):
        return GiveUp(reason="good says so")
"""
