"""Naming the plugin whose code raised: pluggy itself does not say."""

from __future__ import annotations

import inspect
import traceback
from typing import TYPE_CHECKING

from tpuherd.errors import PluginError, TpuherdError

if TYPE_CHECKING:
    from types import CodeType, TracebackType

    from pluggy import HookCaller


def blamed(error: Exception, caller: HookCaller) -> TpuherdError:
    """What an error that came out of a hook call is for the user: it names the plugin.

    Args:
        error: what was raised.
        caller: the hook that was called.

    Returns:
        A `TpuherdError` is itself, with the note "raised by plugin 'x' in hook 'y'". Anything else is a bug
        of the plugin: a `PluginError`, which ends with the part of the traceback that lies in the plugin.
    """
    plugin, where = _plugin_in(error.__traceback__, _code_to_plugin(caller))
    if isinstance(error, TpuherdError):
        if plugin:
            error.add_note(f"raised by plugin '{plugin}' in hook '{caller.name}'")
        return error
    who = f"plugin '{plugin}' failed in hook '{caller.name}'" if plugin else f"hook '{caller.name}' failed"
    what = "".join(traceback.format_exception_only(error)).strip()
    frames = "".join(traceback.format_tb(where)).rstrip()
    return PluginError(f"{who}: {what}\n{frames}".rstrip())


def _code_to_plugin(caller: HookCaller) -> dict[CodeType, str]:
    functions = ((inspect.unwrap(impl.function), impl.plugin_name) for impl in caller.get_hookimpls())
    return {function.__code__: name for function, name in functions if hasattr(function, "__code__")}


def _plugin_in(
    frames: TracebackType | None, plugins: dict[CodeType, str]
) -> tuple[str, TracebackType | None]:
    """The innermost frame of a plugin's implementation decides; with it goes the traceback from there on."""
    name, where = "", None
    while frames is not None:
        if frames.tb_frame.f_code in plugins:
            name, where = plugins[frames.tb_frame.f_code], frames
        frames = frames.tb_next
    return name, where
