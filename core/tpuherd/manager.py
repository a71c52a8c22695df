"""Loading plugins: built-in ones, installed ones, and modules named by `TPUHERD_PLUGINS`."""

from __future__ import annotations

import importlib
import os
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, EntryPoint, distributions

import pluggy

from tpuherd import hookspecs
from tpuherd.config.choices import nearest
from tpuherd.errors import PluginError
from tpuherd.markers import NAME

DISABLE_VARIABLE = "TPUHERD_DISABLE_PLUGINS"
"""Names of plugins that are not loaded, separated by commas."""
MODULES_VARIABLE = "TPUHERD_PLUGINS"
"""Importable modules that are loaded as plugins without being installed as such, separated by commas."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginInfo:
    """One line of `tpuherd plugins.list`."""

    name: str
    distribution: str
    version: str
    status: str
    """`active` or `disabled`."""
    hooks: tuple[str, ...]


def make_plugin_manager() -> pluggy.PluginManager:
    """Load all plugins: our own distribution's first, so that others win where the order counts.

    Raises:
        PluginError: a plugin cannot be loaded, or implements a hook that does not exist; the message names
            the plugin, its distribution and version.
    """
    manager = pluggy.PluginManager(NAME)
    manager.add_hookspecs(hookspecs)
    for name in _listed(DISABLE_VARIABLE):
        manager.set_blocked(name)
    for entry_point, distribution in _entry_points():
        _register_entry_point(manager, entry_point, distribution)
    for module in _listed(MODULES_VARIABLE):
        _register_module(manager, module)
    _check_hook_names(manager)
    return manager


def hook_names() -> list[str]:
    """The names of all hooks, in the order in which a job meets them."""
    return [name for name, value in vars(hookspecs).items() if hasattr(value, f"{NAME}_spec")]


def list_plugins(manager: pluggy.PluginManager) -> list[PluginInfo]:
    """All plugins, loaded and disabled ones, in the order of their names."""
    installed = {point.name: _origin(dist) for point, dist in _entry_points()}
    names = {name for name, _ in manager.list_name_plugin()} | set(installed)
    return [_info(manager, name, installed.get(name, ("", ""))) for name in sorted(names)]


def _info(manager: pluggy.PluginManager, name: str, origin: tuple[str, str]) -> PluginInfo:
    plugin = manager.get_plugin(name)
    hooks = manager.get_hookcallers(plugin) if plugin else None
    return PluginInfo(
        name=name,
        distribution=origin[0],
        version=origin[1],
        status="active" if plugin else "disabled",
        hooks=tuple(sorted(caller.name for caller in hooks or ())),
    )


def _listed(variable: str) -> list[str]:
    return [word.strip() for word in os.environ.get(variable, "").split(",") if word.strip()]


def _entry_points() -> list[tuple[EntryPoint, Distribution]]:
    """Entry points of our group, our own distribution's first; each once, as `sys.path` finds it."""
    found: dict[tuple[str, str], tuple[EntryPoint, Distribution]] = {}
    for distribution in distributions():
        for entry_point in distribution.entry_points.select(group=NAME):
            found.setdefault((_origin(distribution)[0], entry_point.name), (entry_point, distribution))
    return sorted(found.values(), key=lambda pair: (_origin(pair[1])[0] != NAME, pair[0].name))


@cache
def _origin(distribution: Distribution) -> tuple[str, str]:
    """Its name and version; each look at one of them reads all of its description."""
    return distribution.name, distribution.version


def _register_entry_point(
    manager: pluggy.PluginManager, entry_point: EntryPoint, distribution: Distribution
) -> None:
    if manager.is_blocked(entry_point.name):
        return
    name, version = _origin(distribution)
    if manager.has_plugin(entry_point.name):
        raise PluginError(
            f"cannot load plugin '{entry_point.name}' of {name} {version}: another installed distribution "
            "has a plugin of that name; uninstall one of them"
        )
    try:
        manager.register(entry_point.load(), name=entry_point.name)
    except Exception as error:
        raise PluginError(
            f"cannot load plugin '{entry_point.name}' of {name} {version}: {error}\n"
            f"Fix or uninstall {name}, or leave it out with {DISABLE_VARIABLE}={entry_point.name}."
        ) from error


def _register_module(manager: pluggy.PluginManager, module: str) -> None:
    if manager.is_blocked(module):
        return
    try:
        manager.register(importlib.import_module(module), name=module)
    except Exception as error:
        raise PluginError(
            f"cannot load plugin module '{module}' named by {MODULES_VARIABLE}: {error}"
        ) from error


def _check_hook_names(manager: pluggy.PluginManager) -> None:
    """A function marked as a hook that is none would never be called: a typing error."""
    known = hook_names()
    for hook, caller in vars(manager.hook).items():
        for impl in caller.get_hookimpls():
            if hook not in known and not impl.optionalhook:
                raise PluginError(_unknown_hook(hook, impl.plugin_name, known))


def _unknown_hook(hook: str, plugin: str, known: list[str]) -> str:
    origins = {point.name: " ".join(_origin(distribution)) for point, distribution in _entry_points()}
    origin = origins.get(plugin, MODULES_VARIABLE)
    return (
        f"plugin '{plugin}' of {origin} implements '{hook}', which is no hook; {nearest(hook, known)}\n"
        f"Fix the plugin, or leave it out with {DISABLE_VARIABLE}={plugin}."
    )
