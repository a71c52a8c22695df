"""The emulated cloud of a test, and what goes wrong in it."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from tpuherd.testing.command import CommandRunner

PAUSE_S = 0.1
"""Between two looks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudNode:
    """One node of the emulated cloud."""

    name: str
    zone: str
    accelerator: str
    state: str
    """As the API calls it, for example `READY`."""
    workers: int


class EmulatedCloud:
    """Drives the test's own emulated cloud, through the commands that a user has."""

    def __init__(self, run: CommandRunner) -> None:
        """Keep what runs commands; the cloud starts with `up`, or with the first job."""
        self._run = run

    def up(self, **options: str | float | Path) -> EmulatedCloud:
        """Start the cloud, and keep it until the test ends.

        Args:
            options: those of `tpuherd cloud.up`, for example `clock="manual"` or `scenario=path`.

        Returns:
            This object.
        """
        self._cloud("up", *_flags(options))
        return self

    def fault(self, kind: str, **options: str | float) -> None:
        """Let something go wrong, now or when it meets something.

        Args:
            kind: one of those that `tpuherd cloud.faults --known` lists, for example `stockout`.
            options: those of `tpuherd cloud.fault`, for example `zone="us-west4-a"` or `count=1`.
        """
        self._cloud("fault", kind, *_flags(options))

    def preempt(self, node: str, notice_s: float = 0.0) -> None:
        """Preempt a node; with a notice, its workers are told so many seconds before."""
        self._cloud("preempt", node, *_flags({"notice_s": notice_s}))

    def clear(self) -> None:
        """Forget the faults that wait for something to strike."""
        self._cloud("faults", "--clear")

    def capacity(self, place: str, chips: int, **options: str) -> None:
        """Set how many chips a zone or region has; options: `generation`, `market`."""
        self._cloud("capacity", place, str(chips), *_flags(options))

    def quota(self, place: str, chips: int, **options: str) -> None:
        """Set how many chips the project may have in a zone or region; options: `generation`, `market`."""
        self._cloud("quota", place, str(chips), *_flags(options))

    def tick(self, seconds: float) -> None:
        """Let emulated time pass at once; all that is due in it has happened when this returns."""
        self._cloud("tick", str(seconds))

    def speed(self, factor: float) -> None:
        """Let emulated time pass faster or slower."""
        self._cloud("speed", str(factor))

    def nodes(self) -> tuple[CloudNode, ...]:
        """All nodes that there are."""
        return tuple(CloudNode(**node) for node in self._cloud("status")["nodes"])

    def wait_for(self, node: str, state: str, timeout_s: float = 60.0) -> CloudNode:
        """Wait until a node is in a state; empty `node`: any one.

        Raises:
            TimeoutError: it was not in time; the message says how it is.
        """
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            found = [it for it in self.nodes() if it.state == state and node in ("", it.name)]
            if found:
                return found[0]
            time.sleep(PAUSE_S)
        raise TimeoutError(f"{node or 'no node'} is not {state} after {timeout_s:g} s: {self.nodes()}")

    def _cloud(self, command: str, *words: str) -> Any:
        done = self._run(f"cloud.{command}", *words, "--json")
        assert done.exit_code == 0, done.stderr
        return json.loads(done.stdout)


def _flags(options: dict[str, Any]) -> list[str]:
    pairs = ((f"--{name.replace('_', '-')}", str(value)) for name, value in options.items())
    return [word for pair in pairs for word in pair]
