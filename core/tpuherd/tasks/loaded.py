"""The plugins of this process; a module of its own, so that nobody imports invoke for them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from tpuherd.manager import make_plugin_manager

if TYPE_CHECKING:
    from pluggy import PluginManager


@cache
def manager() -> PluginManager:
    """They are loaded once.

    Raises:
        PluginError: see `make_plugin_manager`.
    """
    return make_plugin_manager()
