"""A job that has succeeded and kept its slices, for the tests of one module."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from herd import Herd

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def kept_job(folder: Path, cmd: str = "true", **more: object) -> Iterator[Herd]:
    """Run the job `job` on four workers and keep them; nothing of it is left afterwards."""
    herd = Herd(folder)
    try:
        herd.ok("run", herd.job(cmd, **{"accelerator": "v5litepod-16", **more}), "--keep")
        yield herd
    finally:
        herd.close()
    herd.nothing_left()


def lines(text: str) -> list[str]:
    """What workers said, without their names."""
    return [line.rpartition("│ ")[2] for line in text.splitlines()]
