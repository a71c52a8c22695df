"""At most one controller drives a job."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from herd import Herd

pytestmark = pytest.mark.slow


def test_others_are_refused(herd: Herd) -> None:
    job = herd.job(herd.counting(1200))
    controller = herd.start("run", job)
    herd.until_says(controller, "line 3")
    for words in (("run", job), ("resume", "job"), ("release", "--job", "job")):
        assert f"process {controller.pid}" in herd.ends_with(10, *words).stderr
    assert "is live" in herd.ends_with(10, "delete", "job").stderr
    changed = herd.ends_with(10, "run", herd.job("true"))
    assert "another version" in changed.stderr
    assert herd.status()["state"] == "live"
    herd.ok("cancel", "job")
    assert controller.wait(90) == 130
    assert herd.starts(0) == 1
