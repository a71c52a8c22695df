"""A worker that is an address only: for clouds with so many that nobody wants their processes."""

from __future__ import annotations

from tpuherd_emulator.workers.machine import Machine


class Addressed(Machine):
    """Nothing is started, nothing answers, nothing is on the disk."""

    @property
    def host_key(self) -> str:
        """There is no SSH server that had one."""
        return ""

    def authorize(self, lines: list[str]) -> None:
        """Nobody can log in."""

    def power_on(self) -> None:
        """Be there."""

    def power_off(self) -> None:
        """Be not there."""

    def recover(self) -> None:
        """There is nothing to recover."""

    def wipe(self) -> None:
        """There is no disk."""

    def remove(self) -> None:
        """There is no disk."""
