"""What happens to a fleet, as lines for those who watch without a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.members.table import summary

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd.members.view import FleetView, MemberView


class Changes:
    """Says what is new since the last look."""

    def __init__(self, note: Callable[[str], None]) -> None:
        """Keep who is told."""
        self._note = note
        self._said: dict[str, str] = {}

    def note(self, fleet: FleetView) -> None:
        """Tell of members that do something else now, and of the whole when its work has come further."""
        for member in fleet.members:
            self._say(member.job, f"{member.job}: {_what(member)}", _what(member))
        if fleet.done:
            self._say("", summary(fleet), str(fleet.done))

    def _say(self, key: str, text: str, what: str) -> None:
        if self._said.get(key) != what:
            self._said[key] = what
            self._note(text)


def _what(member: MemberView) -> str:
    doing = member.state if member.ended else member.stage or "waiting"
    where = f" in {member.zone}" if member.zone and not member.ended else ""
    attempt = f", attempt {member.attempt}" if member.attempt > 1 and not member.ended else ""
    return f"{doing}{where}{attempt}" + (f" ({member.error})" if member.error else "")
