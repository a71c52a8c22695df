"""How `--dist loadgroup` deals out tests to the processes of pytest-xdist: one by one, the longest first.

The tests of a file stay together if they share a fixture, because it would be made again in each process. A
test that takes much longer than others says so, in seconds on an idle machine: `@pytest.mark.slow(90)`. What
begins last decides when everything is over, so it had better be short.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from xdist.scheduler import LoadScopeScheduling

if TYPE_CHECKING:
    import pytest

TESTS = Path(__file__).parents[1]
SHARING = ('scope="module"', 'scope="class"', 'scope="package"', "clouded")
"""What a file says, or the conftest.py beside it, when its tests may share something."""
USUAL_S = 5.0
"""For a slow test that says nothing."""


class Dealing(LoadScopeScheduling):
    """Deals out units of tests, in the order in which they were collected."""

    def __init__(self, config: pytest.Config, log: object) -> None:
        config.option.loadscopereorder = False
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        return unit(nodeid)


def unit(nodeid: str) -> str:
    """What a test is dealt out with: its file, or nothing but itself."""
    file = nodeid.partition("::")[0]
    return file if _shares(file) else nodeid


def in_order(items: list[pytest.Item]) -> list[pytest.Item]:
    """The longest units first; others stay in their order."""
    seconds = Counter[str]()
    for item in items:
        seconds[unit(item.nodeid)] += seconds_of(item)
    return sorted(items, key=lambda item: -seconds[unit(item.nodeid)])


def seconds_of(item: pytest.Item) -> float:
    """About how long a test takes on an idle machine; 0 for a quick one."""
    mark = item.get_closest_marker("slow")
    if mark is None:
        return 0.0
    return float(mark.args[0]) if mark.args else USUAL_S


@cache
def _shares(file: str) -> bool:
    path = TESTS.parent / file
    texts = [it.read_text() for it in (path, path.parent / "conftest.py") if it.is_file()]
    return any(word in text for word in SHARING for text in texts)
