"""A command that starts is not held up by looks for garbage; one that lasts has them as usual."""

from __future__ import annotations

import subprocess
import sys

LASTS = """
import gc
from tpuherd.garbage import look_later
usual, before = gc.get_threshold(), gc.get_stats()[0]["collections"]
look_later()
kept = [[] for _ in range(200_000)]
assert gc.get_stats()[0]["collections"] == before, "while it starts"
more = [[] for _ in range(300_000)]
assert gc.get_threshold() == usual, "later"
assert not gc.callbacks
"""


def test_the_first_look_comes_late_and_then_it_is_as_usual() -> None:
    done = subprocess.run([sys.executable, "-c", LASTS], capture_output=True, text=True, timeout=60)
    assert not done.returncode, done.stderr
