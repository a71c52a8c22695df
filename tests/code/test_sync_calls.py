"""A small change through an agent that stands by: the same as by the script, and each after the other."""

from __future__ import annotations

import fcntl
import os
import shutil
import threading
from typing import TYPE_CHECKING

import pytest
from syncing import Syncing
from trees import as_seen, snapshots

from tpuherd import SyncError
from tpuherd.agent.client import Agents
from tpuherd.holder import starting
from tpuherd.holder.dropping import close_connections

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NO_SCRIPT = "echo the script was needed >&2; exit 9"


@pytest.fixture
def warm(cloud, held, tree, monkeypatch) -> Iterator[Syncing]:
    """A job whose workers have one snapshot, over a holder's connections."""
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.delenv("TPUHERD_HOLDER_IDLE_S", raising=False)
    monkeypatch.setattr(starting, "_unusable", [])
    sync = Syncing(cloud, held, tree)
    sync.job.session.share_connections()
    Agents(sync.job.session.workers(held, sync.job.cloud.ssh)).install()
    sync()
    sync.settle()
    yield sync
    close_connections(None)


@pytest.fixture
def no_script(monkeypatch) -> None:
    monkeypatch.setattr("tpuherd.code.sending.worker_script", lambda: NO_SCRIPT)


def own(sync: Syncing, worker: int = 0) -> Path:
    return sync.cloud.home(sync.held.workers[worker]) / ".tpuherd" / "code" / ".own"


def head(sync: Syncing) -> list[str]:
    return (own(sync) / "head").read_text().split()


def test_what_changes_arrives_without_the_script(warm, tree, no_script):
    first, last, _ = head(warm)
    (tree / "plain.py").write_text("changed")
    (tree / "new" / "deep").mkdir(parents=True)
    (tree / "new" / "deep" / "é\n'x").write_bytes(os.urandom(999))
    (tree / "run.sh").chmod(0o644)
    (tree / "new" / "tool").write_text("#!/bin/sh\n")
    (tree / "new" / "tool").chmod(0o755)
    (tree / "link").unlink(missing_ok=True)
    (tree / "link").symlink_to("new/deep")
    code = warm()
    warm.everywhere(code)
    assert head(warm) == [first, str(int(last) + 1), code.snapshot]
    warm.settle()
    shutil.rmtree(tree / "new")
    (tree / "link").unlink()
    (tree / "link").mkdir()
    (tree / "link" / "file").write_text("a folder now")
    (tree / "new").write_text("a file now")
    second = warm()
    warm.everywhere(second)
    warm.settle()
    copies = list((own(warm) / "copies").iterdir())
    assert len(copies) == 2
    assert all(as_seen(copy) == as_seen(tree) for copy in copies)
    assert not (own(warm) / "work").exists()
    assert warm() == second
    assert warm.said[-1].endswith("to 0 workers")


def test_each_way_may_follow_the_other(warm, tree, monkeypatch):
    for number in range(4):
        (tree / "plain.py").write_text(f"change {number}")
        with monkeypatch.context() as patch:
            if number % 2:
                patch.setattr("tpuherd.code.sending.sync_call", lambda *_: None)
            else:
                patch.setattr("tpuherd.code.sending.worker_script", lambda: NO_SCRIPT)
            warm.everywhere(warm())
        warm.settle()


def test_a_second_change_at_once_is_made_of_the_copy_before(warm, tree, no_script):
    """Of two copies one is taken, and the other one is not yet what the last one was."""
    (tree / "plain.py").write_text("soon")
    (tree / "run.sh").unlink()
    warm()
    (tree / "plain.py").write_text("sooner")
    warm.everywhere(warm())


def test_too_soon_for_the_plain_case_the_script_does_it(warm, tree):
    for number in range(4):
        (tree / "plain.py").write_text(f"soon {number}")
        warm.everywhere(warm())


def test_an_earlier_input_that_is_damaged_is_left_to_the_script(warm, tree):
    (tree / "plain.py").write_text("damaged on the disk")
    warm()
    warm.shell('cd "$HOME/.tpuherd/code/.own/log" && for one in *.delta; do echo x >> "$one"; done')
    (tree / "plain.py").write_text("after the damage")
    warm.everywhere(warm())


@pytest.mark.parametrize("damage", ["rm -rf copies/*", "mkdir work", ": > head", "rm head"])
def test_what_is_not_the_plain_case_is_left_to_the_script(warm, tree, damage):
    warm.shell(f'cd "$HOME/.tpuherd/code/.own" && {damage}')
    before = snapshots(warm.cloud, warm.held.workers[0])
    (tree / "plain.py").write_text(damage)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tpuherd.code.sending.worker_script", lambda: NO_SCRIPT)
        with pytest.raises(SyncError, match=r"0 of 4 workers succeeded[\s\S]*the script was needed"):
            warm()
    assert snapshots(warm.cloud, warm.held.workers[0]) == before
    warm.everywhere(warm())


def test_another_base_is_asked_for(warm, tree, no_script):
    warm.forget()
    (tree / "plain.py").write_text("by another machine")
    warm.everywhere(warm())
    assert "1 of " in warm.said[-1]


def test_it_waits_for_whoever_is_at_work(warm, tree, no_script):
    (tree / "plain.py").write_text("waits")
    done = []
    with (own(warm) / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        waiting = threading.Thread(target=lambda: done.append(warm()))
        waiting.start()
        waiting.join(1)
        assert waiting.is_alive()
    waiting.join(60)
    warm.everywhere(done[0])


def test_damaged_content_changes_nothing(warm, tree, monkeypatch):
    before = snapshots(warm.cloud, warm.held.workers[0])
    old = head(warm)
    (tree / "plain.py").write_text("damaged")
    with monkeypatch.context() as patch:
        patch.setattr("tpuherd.code.payload.Payload.digest", "0" * 64)
        with pytest.raises(SyncError, match="what arrived is not what was sent"):
            warm()
    assert snapshots(warm.cloud, warm.held.workers[0]) == before
    assert head(warm) == old
    warm.everywhere(warm())
