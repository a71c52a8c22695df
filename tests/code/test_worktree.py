"""The working tree on the workers."""

from __future__ import annotations

import random
import stat
import subprocess

import pytest

import tpuherd_worktree as plugin
from tpuherd.remote import quote
from tpuherd_worktree.sending import UNPACK
from tpuherd_worktree.snapshot import take_snapshot

NAMES = ("plain.py", "name with spaces", "grüße-日本", "new\nline", "-leading-dash", "core", "sub/deep/er.py")


@pytest.fixture
def tree(cloud):
    """A new working tree beside the job file."""
    import tempfile
    from pathlib import Path

    root = Path(tempfile.mkdtemp(dir=cloud.factory._folder))
    for name in NAMES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{root.name}: {name}")
    (root / "empty").touch()
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    (root / "link").symlink_to("plain.py")
    return root


def sync_job(cloud, tree, job_id="code-0001"):
    return cloud.job({"code": {"sync": "worktree", "path": tree.name}}, job_id=job_id)


def arrived(cloud, worker, code):
    return cloud.home(worker) / code.directory


def as_seen(root):
    """Everything below a folder: relative name to kind, exec bit and content."""
    found = {}
    for path in root.rglob("*"):
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            found[str(path.relative_to(root))] = ("link", str(path.readlink()))
        elif stat.S_ISREG(mode):
            found[str(path.relative_to(root))] = (bool(mode & 0o100), path.read_bytes())
    return found


def test_it_arrives_exactly(cloud, held, tree):
    code = plugin.sync_code(sync_job(cloud, tree), held)
    assert (code.kind, code.directory) == ("worktree", f".tpuherd/code/{code.snapshot}")
    wanted = as_seen(tree)
    assert len(wanted) == len(NAMES) + 3
    for worker in held.workers:
        assert as_seen(arrived(cloud, worker, code)) == wanted


def test_the_same_content_is_not_sent_again(cloud, held, tree):
    said = []
    first = plugin.sync_code(sync_job(cloud, tree), held)
    folders = [arrived(cloud, worker, first) for worker in held.workers]
    before = [(folder.stat().st_ino, folder.stat().st_ctime_ns) for folder in folders]
    job = sync_job(cloud, tree, job_id="code-0002")
    job.session.reporter.note = said.append
    assert plugin.sync_code(job, held) == first
    assert [(folder.stat().st_ino, folder.stat().st_ctime_ns) for folder in folders] == before
    assert said[-1].endswith("to 0 workers")


def test_only_the_workers_without_it_get_it(cloud, held, tree):
    job = sync_job(cloud, tree)
    code = plugin.sync_code(job, held)
    lost = arrived(cloud, held.workers[2], code)
    kept = arrived(cloud, held.workers[0], code)
    subprocess.run(["rm", "-rf", lost], check=True)
    inode = kept.stat().st_ino
    said = []
    job.session.reporter.note = said.append
    assert plugin.sync_code(job, held) == code
    assert as_seen(lost) == as_seen(tree)
    assert kept.stat().st_ino == inode
    assert said[-1].endswith("to 1 workers")


def test_a_running_attempts_folder_never_changes(cloud, held, tree):
    first = plugin.sync_code(sync_job(cloud, tree), held)
    running = arrived(cloud, held.workers[0], first)
    before = as_seen(running)
    (tree / "plain.py").write_text("changed meanwhile")
    second = plugin.sync_code(sync_job(cloud, tree), held)
    assert second.snapshot != first.snapshot
    assert as_seen(running) == before
    assert as_seen(arrived(cloud, held.workers[0], second)) == as_seen(tree)


def test_what_arrives_in_part_is_never_taken_for_code(cloud, held, tree):
    """It is unpacked beside and renamed: a folder of that name is always whole."""
    job = sync_job(cloud, tree)
    (tree / "long").write_bytes(random.Random(1).randbytes(100_000))
    half = take_snapshot(tree).archive[:50_000]
    remote = job.session.workers(held, job.cloud.ssh)
    sent = remote.run(quote(["bash", "-c", UNPACK, "half"]), workers=[0], stdin=half, timeout_s=20)
    assert sent.failed
    folder = cloud.home(held.workers[0]) / ".tpuherd" / "code"
    assert [path.name for path in folder.iterdir() if "half" in path.name] == []


def test_a_tree_of_30_mib(cloud, held, tree):
    noise = random.Random(0)
    for number in range(30):
        (tree / f"blob-{number}").write_bytes(noise.randbytes(1 << 20))
    code = plugin.sync_code(sync_job(cloud, tree), held)
    for worker in held.workers:
        last = arrived(cloud, worker, code) / "blob-29"
        assert last.read_bytes() == (tree / "blob-29").read_bytes()


def test_the_plan_says_what_is_sent(cloud, tree):
    (step,) = plugin.plan(sync_job(cloud, tree).spec)
    assert tree.name in step.action


@pytest.mark.slow
def test_the_workload_starts_in_it_and_an_error_has_its_exit_code(tpuherd_run, tmp_path):
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "hello.sh").write_text("echo hello from $(basename $PWD)\n")
    job = tmp_path / "job.yaml"
    text = (
        "cloud: emulator\ntpu: {accelerator: v5litepod-8, zone: us-west4-a}\n"
        "code: {sync: worktree, path: TREE}\ncommand: {cmd: bash hello.sh}\n"
    )
    job.write_text(text.replace("TREE", "tree"))
    done = tpuherd_run("run", job)
    assert done.exit_code == 0, done.stderr
    assert "hello from " in done.stdout
    job.write_text(text.replace("TREE", "gone"))
    done = tpuherd_run("run", job)
    assert done.exit_code == 7
    assert "code.path" in done.stderr
