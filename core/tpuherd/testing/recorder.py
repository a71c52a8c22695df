"""A record of hook calls, in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pluggy import HookImpl, PluginManager


@dataclass(frozen=True, slots=True, kw_only=True)
class HookCall:
    """One call of a hook."""

    hook: str
    plugins: tuple[str, ...]
    """Names of the plugins that it went to, in the order of their calls; wrappers included."""
    arguments: Mapping[str, object]


class HookRecorder:
    """Records the calls that go through one plugin manager, from its making until `stop`."""

    def __init__(self, manager: PluginManager) -> None:
        """Begin to record."""
        self.calls: list[HookCall] = []
        """All calls, in the order in which they began."""
        self.stop = manager.add_hookcall_monitoring(self._before, _after)
        """Call it to end the recording."""

    @property
    def hooks(self) -> list[str]:
        """Names of the hooks that were called, in order."""
        return [call.hook for call in self.calls]

    def of(self, hook: str) -> list[HookCall]:
        """The calls of one hook."""
        return [call for call in self.calls if call.hook == hook]

    def _before(self, hook: str, impls: Sequence[HookImpl], arguments: Mapping[str, object]) -> None:
        plugins = tuple(impl.plugin_name for impl in reversed(impls))  # pluggy calls the last one first
        self.calls.append(HookCall(hook=hook, plugins=plugins, arguments=dict(arguments)))


def _after(*_: object) -> None:
    """Nothing is of interest after a call; pluggy wants both sides."""
