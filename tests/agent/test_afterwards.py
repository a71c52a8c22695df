"""A script that nobody waits for."""

from __future__ import annotations

import errno
import os
import time
from typing import TYPE_CHECKING

from tpuherd_agent import afterwards
from tpuherd_agent.afterwards import Afterwards, run_script

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def comes(path: Path) -> bool:
    deadline = time.monotonic() + 60
    while not path.exists():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def test_a_script_is_nobody_s_child_and_is_not_waited_for(tmp_path: Path) -> None:
    run_script(f"until [ -e {tmp_path}/go ]; do sleep 0.05; done\ntouch {tmp_path}/done\n")
    (tmp_path / "go").touch()
    assert comes(tmp_path / "done")


def test_a_script_has_a_session_of_its_own(tmp_path: Path) -> None:
    """What it says of its priority is said of its session; the agent's stays as it is."""
    run_script(f"cut -d ' ' -f 6 /proc/self/stat > {tmp_path}/new && mv {tmp_path}/new {tmp_path}/session")
    assert comes(tmp_path / "session")
    assert int((tmp_path / "session").read_text()) != os.getsid(0)


def test_where_no_process_can_be_started_it_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_words: object, **_more: object) -> int:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(os, "posix_spawn", refuse)
    run_script("true")


def test_the_last_script_that_was_wanted_runs_once_when_it_is_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []
    monkeypatch.setattr(afterwards, "run_script", ran.append)
    later = Afterwards()
    assert later.left_ms is None
    later.want("first")
    later.want("second")
    later.run_due()
    assert not ran
    monkeypatch.setattr(afterwards, "AFTER_S", 0.0)
    later.want("third")
    later.run_due()
    later.run_due()
    assert ran == ["third"]
