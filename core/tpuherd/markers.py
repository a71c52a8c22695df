"""The name of the plugin system, and its two markers."""

from __future__ import annotations

import pluggy

NAME = "tpuherd"
"""The entry-point group, and the project name given to pluggy."""

hookspec = pluggy.HookspecMarker(NAME)
hookimpl = pluggy.HookimplMarker(NAME)
