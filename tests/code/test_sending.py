"""What sending code does when something is not as it was: memory, exchanges, disks, workers."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from clouded import eventually
from syncing import Syncing
from trees import as_seen, snapshots

import tpuherd_worktree as plugin
from tpuherd import SyncError
from tpuherd.code.memory import Memory
from tpuherd.code.sending import worker_script
from tpuherd.remote import quote


def test_another_machines_memory_is_not_needed(tree, sync):
    sync()
    sync.forget()
    (tree / "plain.py").write_text("changed")
    sync.everywhere(sync())
    assert "1 of " in sync.said[-1]


def test_a_wrong_memory_costs_one_more_exchange(cloud, held, tree, sync):
    first = sync()
    (tree / "plain.py").write_text("second")
    second = sync()
    (tree / "plain.py").write_text("third")
    believed = {worker.index: second.snapshot for worker in held.workers} | {1: first.snapshot}
    Memory(sync.job.directory, held.incarnation).keep(believed)
    sync.everywhere(sync())
    assert sync.said[-1].endswith("to 4 workers")


def test_a_base_that_is_not_known_here_means_all_of_it(tree, sync):
    sync()
    sync.settle()
    sync.shell('echo 1 2 1111111111111111111111111111111111111111 > "$HOME/.tpuherd/code/.own/head"')
    (tree / "plain.py").write_text("changed")
    sync.everywhere(sync())


def test_a_remembered_base_that_is_lost_here_is_asked_for(held, tree, sync):
    sync()
    lost = dict.fromkeys((worker.index for worker in held.workers), "1" * 40)
    Memory(sync.job.directory, held.incarnation).keep(lost)
    (tree / "plain.py").write_text("changed")
    sync.everywhere(sync())


def test_new_vms_start_from_nothing(cloud, held, tree, sync):
    code = sync()
    sync.settle()
    sync.shell('rm -rf "$HOME/.tpuherd/code"')
    slices = tuple(replace(piece, incarnation="second") for piece in held.slices)
    assert plugin.sync_code(sync.job, replace(held, slices=slices)) == code
    sync.everywhere(code)


def test_what_a_killed_exchange_left_is_removed(cloud, held, tree, sync):
    first = sync()
    sync.settle()
    sync.shell(
        'cd "$HOME/.tpuherd/code/.own" && mkdir -p work/tree making old && touch work/tree/half making/half '
        "&& rm -rf copies/*.a"
    )
    (tree / "plain.py").write_text("changed")
    second = sync()
    sync.everywhere(second)
    sync.settle()
    own = cloud.home(held.workers[0]) / ".tpuherd" / "code" / ".own"
    assert not (own / "work").exists()
    copies = list((own / "copies").iterdir())
    assert len(copies) == 2
    assert all(as_seen(copy) == as_seen(tree) for copy in copies)
    assert {first.snapshot, second.snapshot} <= snapshots(cloud, held.workers[0])


@pytest.mark.parametrize("base", ["none", "the last"])
def test_what_arrives_in_part_is_never_taken_for_code(cloud, held, tree, sync, base):
    code = sync()
    sync.settle()
    (tree / "long").write_bytes(random.Random(1).randbytes(1 << 20))
    whole = sync().snapshot
    sync.settle()
    before = snapshots(cloud, held.workers[0])
    start = "none" if base == "none" else whole
    line = quote(["sh", "-c", worker_script(), "tpuherd", "half", start, "5", "0" * 64, ""])
    remote = sync.job.session.workers(held, sync.job.cloud.ssh)
    sent = remote.run(line, workers=[0], stdin=b"cut off".ljust(700, b"\0"), timeout_s=20)
    assert sent.failed
    assert snapshots(cloud, held.workers[0]) == before
    assert sync().snapshot == whole
    (tree / "plain.py").write_text("after")
    sync.everywhere(sync())
    assert code.snapshot in before


def test_damaged_content_is_refused(cloud, held, tree, sync):
    """The digests are checked on what is on the worker's disk, before the folder gets its name."""
    from tpuherd.code.delta import Delta
    from tpuherd.code.payload import pack
    from tpuherd.code.snapshot import take_snapshot

    base = sync().snapshot
    sync.settle()
    (tree / "plain.py").write_text("the right content")
    taken = take_snapshot(tree)
    payload = pack(Delta(store=taken.store, base=base, tree=taken.id))
    line = quote(["sh", "-c", worker_script(), "tpuherd", taken.id, base, "5", payload.digest, ""])
    remote = sync.job.session.workers(held, sync.job.cloud.ssh)
    damaged = payload.content.replace(b"the right content", b"the wrong content")
    sent = remote.run(line, workers=[0], stdin=damaged, timeout_s=20)
    assert "not what was sent" in sent.results[0].stderr
    assert taken.id not in snapshots(cloud, held.workers[0])
    sync.everywhere(sync())


@pytest.mark.slow
def test_a_controller_that_is_killed_while_it_sends_leaves_whole_folders_or_none(cloud, held, tree, sync):
    """The exchange is stopped in the middle of its input, by the end of its connection."""
    first = sync()
    sync.settle()
    info = sync.job.cloud.ssh
    script = (
        "import sys; from tpuherd.remote import RemoteWorkers, quote\n"
        "from tpuherd.model.cloud import SshAccess; from tpuherd.model.allocation import Worker\n"
        "from pathlib import Path; import json\n"
        "worker, access, hosts, line = json.loads(sys.argv[1])\n"
        "remote = RemoteWorkers([Worker(**worker)], SshAccess(**access), Path(hosts))\n"
        "channel = remote.open_stream(worker['index'], line, stdin=b'\\0' * (1 << 28))\n"
        "print('started', flush=True)\n"
        "for chunk in channel: pass\n"
    )
    line = quote(["sh", "-c", worker_script(), "tpuherd", "f" * 40, first.snapshot, "5", "0" * 64, ""])
    worker = {name: getattr(held.workers[0], name) for name in held.workers[0].__slots__}
    access = {name: getattr(info, name) for name in info.__slots__}
    words = json.dumps([worker, access, str(sync.job.directory / "hosts"), line])
    process = subprocess.Popen([sys.executable, "-c", script, words], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "started\n"
    own = cloud.home(held.workers[0]) / ".tpuherd" / "code" / ".own"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    sync.settle()
    eventually(lambda: not (own / "work").exists())
    assert "f" * 40 not in snapshots(cloud, held.workers[0])
    (tree / "plain.py").write_text("after")
    sync.everywhere(sync())


def test_an_edit_soon_after_another_waits_for_no_copy(cloud, held, tree, sync):
    """Copies cannot be made here as long as their lock is held; the snapshots come all the same."""
    sync()
    sync.settle()
    sync.shell(
        'cd "$HOME/.tpuherd/code/.own" && exec 8> making.lock && flock 8\n'
        'setsid sleep 600 < /dev/null > /dev/null 2>&1 & echo $! > "$HOME/holding"'
    )
    try:
        for number in range(4):  # the first two use up the copies
            (tree / "plain.py").write_text(str(number))
            (tree / "sub" / "deep" / f"{number}.py").touch()
            (tree / "sub" / "deep" / f"{number - 1}.py").unlink(missing_ok=True)
            sync.everywhere(sync())
            assert "2 of " in sync.said[-1] or "1 of " in sync.said[-1]
        own = cloud.home(held.workers[0]) / ".tpuherd" / "code" / ".own"
        assert list((own / "copies").iterdir()) == []
    finally:
        sync.shell('kill "$(cat "$HOME/holding")"')
    sync.settle()
    assert all(as_seen(copy) == as_seen(tree) for copy in (own / "copies").iterdir())


def test_what_snapshots_are_made_of_is_sent_again_if_it_was_damaged(tree, sync):
    sync()
    sync.settle()
    sync.shell(
        'cd "$HOME/.tpuherd/code/.own" && rm -rf copies/* && for i in log/*.full; do echo x >> "$i"; done'
    )
    (tree / "plain.py").write_text("changed")
    code = sync()
    sync.everywhere(code)
    assert "1 of " not in sync.said[-1]


def test_many_changes_become_one_input(cloud, held, tree, sync, monkeypatch):
    """Otherwise a worker would keep every change there ever was."""
    short = worker_script().replace("LOGGED=32", "LOGGED=2")
    monkeypatch.setattr("tpuherd.code.sending.worker_script", lambda: short)
    for number in range(5):
        (tree / "plain.py").write_text(str(number))
        sync()
        sync.settle()
    log = cloud.home(held.workers[0]) / ".tpuherd" / "code" / ".own" / "log"
    assert len(list(log.glob("*.full"))) == 1
    assert len(list(log.glob("*.delta"))) <= 2
    sync.shell('rm -rf "$HOME/.tpuherd/code/.own/copies"/*')
    (tree / "run.sh").unlink()
    sync.everywhere(sync())
    assert "0 of " in sync.said[-1]


@pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="Linux does not group sessions here")
def test_copies_are_made_by_a_session_that_comes_last(cloud, held, tree, monkeypatch):
    sync = Syncing(cloud, held, tree)
    look = """cat "/proc/$(sh -c 'echo $PPID')/autogroup" > "$HOME/last" #"""
    looking = worker_script().replace("sleep 0.3 #", look)
    monkeypatch.setattr("tpuherd.code.sending.worker_script", lambda: looking)
    sync()
    # Linux lets users say so ten times a second at most, and here all workers are one machine
    eventually(lambda: any("nice 10" in said(cloud, worker) for worker in held.workers))


def said(cloud, worker):
    file = cloud.home(worker) / "last"
    return file.read_text() if file.exists() else ""


def test_old_snapshots_go_but_not_the_one_in_use(cloud, held, tree):
    sync = Syncing(cloud, held, tree, keep_snapshots=2)
    first = sync()
    sync.shell(
        f'export TPUHERD_CODE="$(cd -P "$HOME" && pwd)/{first.directory}"\n'
        'setsid sleep 600 < /dev/null > /dev/null 2>&1 & echo $! > "$HOME/living"',
        workers=[0],
    )
    try:
        codes = []
        for number in range(4):
            (tree / "plain.py").write_text(str(number))
            codes.append(sync().snapshot)
        sync.settle()
        assert snapshots(cloud, held.workers[0]) == {first.snapshot, *codes[-2:]}
        assert snapshots(cloud, held.workers[1]) == set(codes[-2:])
    finally:
        sync.shell('kill "$(cat "$HOME/living")"', workers=[0])


def test_a_full_disk_is_said_and_leaves_nothing(cloud, held, tree, sync):
    """The worker's shell may write no file beyond a limit: what a full disk does to tar and cp."""
    first = sync()
    sync.settle()
    before = snapshots(cloud, held.workers[0])
    home = cloud.home(held.workers[0])
    (tree / "large").write_bytes(bytes(8 << 20))
    limited = "ulimit -f 1000; trap '' XFSZ\n" + worker_script()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tpuherd.code.sending.worker_script", lambda: limited)
        with pytest.raises(SyncError, match=r"sending the code: 0 of 4 workers succeeded[\s\S]*large"):
            sync()
    assert snapshots(cloud, held.workers[0]) == before
    assert not (home / ".tpuherd" / "code" / ".own" / "work").exists()
    code = sync()
    sync.everywhere(code)
    assert code.snapshot != first.snapshot


def test_a_worker_that_is_gone_is_named(cloud, held, tree, sync):
    dead = replace(held.workers[3], ssh_address="127.255.1.1")
    workers = (*held.workers[:3], dead)
    pieces = (replace(held.slices[0], workers=workers, incarnation="with a dead one"),)
    with pytest.raises(SyncError, match=r"3 of 4 workers succeeded; w3 unreachable"):
        plugin.sync_code(sync.job, replace(held, slices=pieces))
