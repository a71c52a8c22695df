"""tpuherd: a plugin-based runner for Cloud TPU jobs.

This module is what a plugin author imports: the hook marker, the values that cross hooks, the errors. Module
`tpuherd.exports` has them all, and is imported when one of them is asked for: commands that need none start
without.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tpuherd.exports import *  # noqa: F403
    from tpuherd.exports import __all__ as __all__
else:
    LOWER_CASE = frozenset({"__all__", "hookimpl", "launch"})
    """All other exports are in mixed case; `from tpuherd import paths` asks for a module."""

    ALONE = {
        "NAME": "markers",
        "hookimpl": "markers",
        "ConfigSection": "config.section",
        "Where": "model.detector",
        "PlanStep": "model.plan",
        "PromptForm": "model.prompt_form",
        "Launch": "workload",
        "launch": "workload",
    }
    """Where those live that plugins need while they are imported, which every command waits for."""

    def __getattr__(name: str) -> object:
        if name.islower() and name not in LOWER_CASE:
            raise AttributeError(f"module 'tpuherd' has no attribute {name!r}")
        return getattr(import_module(f"tpuherd.{ALONE.get(name, 'exports')}"), name)
