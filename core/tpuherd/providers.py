"""Which plugin provides which hook for a job: the job file names them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, cast

from tpuherd.config.choices import nearest
from tpuherd.errors import ConfigError

if TYPE_CHECKING:
    from pluggy import HookCaller, PluginManager

    from tpuherd.config.section import ConfigSection
    from tpuherd.config.spec import JobSpec

NAMED_BY = {
    "connect_cloud": "cloud",
    "leave_cloud": "cloud",
    "find_finished": "workload.kind",
    "provision": "tpu.allocation_mode",
    "observe": "tpu.allocation_mode",
    "release": "tpu.allocation_mode",
    "prepare_env": "job.env_type",
    "sync_code": "code.sync",
    "run_workload": "workload.kind",
    "collect": "workload.kind",
    "recover": "recovery.policy",
}
"""Hook to the key of the job file that names its plugin. Hooks that are not here are asked of all plugins."""

RESOLVED = {"tpu.allocation_mode": "tpu.provider"}
"""Keys that may leave the choice open, and the attribute that has it."""

REQUIRED = ("connect_cloud", "provision", "release", "prepare_env", "sync_code", "run_workload", "recover")
"""Hooks that the named plugin must implement."""


def chosen_plugin(spec: JobSpec, hook: str) -> str:
    """The name of the plugin that the job file chooses for a hook; `tpu-vm` in a file means `tpu_vm`."""
    value: object = spec
    key = NAMED_BY[hook]
    for part in RESOLVED.get(key, key).split("."):
        value = getattr(value, part)
    return str(value).replace("-", "_")


def implementers(caller: HookCaller) -> list[str]:
    """Names of the plugins that provide a hook; wrappers do not count."""
    return sorted({impl.plugin_name for impl in caller.get_hookimpls() if not impl.wrapper})


def check_choices(manager: PluginManager, spec: JobSpec, file: str) -> None:
    """Check that every plugin that a job file names is there; a module named with dots is imported.

    Raises:
        ConfigError: it names one that is not; with file, key and the installed ones.
    """
    for hook in REQUIRED:
        chosen = chosen_plugin(spec, hook)
        if "." in chosen and not manager.has_plugin(chosen):
            load_module(manager, chosen, f"{file}: {NAMED_BY[hook]}")
        installed = implementers(getattr(manager.hook, hook))
        if chosen not in installed:
            raise ConfigError(
                f"{file}: {NAMED_BY[hook]}: no plugin '{chosen}' provides '{hook}'; "
                f"{nearest(chosen, installed)}"
            )


def load_module(manager: PluginManager, module: str, where: str) -> None:
    """Load a module as a plugin; sections and tasks of its own need an entry point, which is read earlier.

    Args:
        manager: the plugins so far.
        module: its dotted name.
        where: who named it, for the message.

    Raises:
        ConfigError: it cannot be imported, or is no plugin.
    """
    try:
        manager.register(importlib.import_module(module), name=module)
    except Exception as error:
        raise ConfigError(
            f"{where}: cannot import '{module}' as a plugin: {error}; "
            "install it, or put its folder into PYTHONPATH"
        ) from error


def with_section(manager: PluginManager, spec: JobSpec, hook: str) -> list[str]:
    """Names of the plugins that have something to do for a job, in the order in which they are called.

    A plugin that contributes a section has if the job file has that section; one without a section always.
    """
    idle = {
        impl.plugin_name
        for impl in manager.hook.config_section.get_hookimpls()
        if not impl.wrapper and getattr(spec, cast("ConfigSection", impl.function()).name, None) is None
    }
    names = [impl.plugin_name for impl in getattr(manager.hook, hook).get_hookimpls() if not impl.wrapper]
    return [name for name in reversed(names) if name not in idle]


def narrowed(manager: PluginManager, hook: str, plugins: set[str]) -> HookCaller:
    """The hook's caller with only these plugins as providers; wrappers of all other plugins still run."""
    caller = getattr(manager.hook, hook)
    others = {
        impl.plugin for impl in caller.get_hookimpls() if not impl.wrapper and impl.plugin_name not in plugins
    }
    return manager.subset_hook_caller(hook, others)
