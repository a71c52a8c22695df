"""Commits that the workers fetch themselves, from a real git server."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time

import pytest
from trees import arrived, as_seen, commit_all, fill, git, make_repository, new_folder, snapshots

import tpuherd_git as plugin
from tpuherd import SyncError


@pytest.fixture
def origin(tmp_path):
    root = make_repository(tmp_path / "served" / "origin")
    fill(root)
    commit_all(root)
    return root


@pytest.fixture
def server(origin):
    """The address of a git daemon on loopback, for this test alone."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    argv = [
        "git",
        "daemon",
        "--export-all",
        f"--base-path={origin.parent}",
        "--listen=127.0.0.1",
        f"--port={port}",
    ]
    process = subprocess.Popen(argv, start_new_session=True, stderr=subprocess.DEVNULL)
    try:
        _wait_for(port)
        yield f"git://127.0.0.1:{port}/origin"
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()


def _wait_for(port):
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise RuntimeError("git daemon did not start")


@pytest.fixture
def fetch(cloud, held, server):
    def call(code=None, **section):
        document = {
            "code": {"sync": "git", **(code or {})},
            "git": {"url": server, "fetch_on": "workers", **section},
        }
        job = cloud.job(document, job_id=f"fetch-{new_folder(cloud).name}")
        return plugin.sync_code(job, held)

    return call


def test_all_workers_get_the_same_commit(cloud, held, origin, fetch, tmp_path):
    code = fetch(ref="main")
    commit = git(origin, "rev-parse", "main")
    assert (code.kind, code.commit, code.snapshot) == ("git", commit, commit)
    subprocess.run(["git", "clone", "-q", origin, tmp_path / "clone"], check=True)
    wanted = as_seen(tmp_path / "clone")
    for worker in held.workers:
        folder = arrived(cloud, worker, code)
        assert as_seen(folder) == wanted
        assert git(folder, "-c", f"safe.directory={folder}", "rev-parse", "HEAD") == commit


def test_it_follows_the_branch_and_keeps_what_is_there(cloud, held, origin, fetch):
    first = fetch(ref="main", depth=1)
    inode = arrived(cloud, held.workers[0], first).stat().st_ino
    assert fetch(ref="main", depth=1) == first
    assert arrived(cloud, held.workers[0], first).stat().st_ino == inode
    (origin / "tracked.py").write_text("2\n")
    commit = commit_all(origin)
    second = fetch(ref="main", depth=1)
    assert second.commit == commit
    assert (arrived(cloud, held.workers[3], second) / "tracked.py").read_text() == "2\n"
    assert (arrived(cloud, held.workers[3], first) / "tracked.py").read_text() == "1\n"


def test_commits_tags_and_pull_requests(origin, fetch):
    first = git(origin, "rev-parse", "HEAD~1")
    git(origin, "tag", "-am", "annotated", "v1.0", first)
    git(origin, "update-ref", "refs/pull/5/head", first)
    assert {fetch(ref=ref).commit for ref in ("v1.0", "pull/5", first, first[:12])} == {first}


def test_a_worker_that_is_behind_gets_the_commit_of_the_others(cloud, held, origin, fetch, monkeypatch):
    """The branch moves between the fetches of two workers: the second exchange names the commit."""
    from tpuherd_git.on_workers import _Fetching

    first = fetch(ref="main")
    (origin / "tracked.py").write_text("moved\n")
    commit = commit_all(origin)
    original = _Fetching.on

    def behind(self, workers, wanted):
        found = original(self, workers, wanted)
        return found | {2: first.commit} if len(workers) == 4 else found

    monkeypatch.setattr(_Fetching, "on", behind)
    assert fetch(ref="main").commit == commit
    assert commit in snapshots(cloud, held.workers[2])


@pytest.mark.slow  # it tries again for a while
def test_what_is_not_there_is_named_and_leaves_nothing(cloud, held, fetch):
    before = snapshots(cloud, held.workers[0])
    with pytest.raises(SyncError, match=r"fetching nowhere of git://.* on the workers: 0 of 4"):
        fetch(ref="nowhere")
    assert snapshots(cloud, held.workers[0]) == before
    assert not (cloud.home(held.workers[0]) / ".tpuherd/code/.own/work").exists()


def test_both_layouts_are_import_roots(fetch):
    assert fetch(code={"editable": ["lib"]}, ref="main").import_roots == ("lib/src", "lib")
