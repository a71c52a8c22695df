"""Named tuples that cost no import of `typing`."""

from __future__ import annotations

import subprocess
import sys

from tpuherd_agent.records import NamedTuple


class Point(NamedTuple):
    """A place."""

    x: int
    y: int = 2
    """Up."""

    @property
    def sum(self) -> int:
        return self.x + self.y


def test_they_are_what_typing_makes() -> None:
    assert Point(1) == (1, 2)
    assert Point(x=3, y=4)._asdict() == {"x": 3, "y": 4}
    assert Point(1).sum == 3
    assert (Point._fields, Point.__name__, Point.__doc__) == (("x", "y"), "Point", "A place.")
    assert not hasattr(Point(1), "__dict__")


def test_a_workload_is_started_without_typing() -> None:
    code = f"import sys; sys.path[:] = {sys.path}; import tpuherd_agent.start, tpuherd_agent.watch"
    argv = [sys.executable, "-S", "-c", f"{code}; sys.exit('typing' in sys.modules)"]
    assert subprocess.run(argv).returncode == 0
