"""The working tree on the workers."""

from __future__ import annotations

import random
import subprocess

import pytest
from trees import arrived, as_seen

import tpuherd_worktree as plugin


def test_it_arrives_exactly(cloud, held, tree, sync):
    code = sync()
    assert (code.kind, code.directory) == ("worktree", f".tpuherd/code/{code.snapshot}")
    assert len(as_seen(tree)) > 18
    sync.everywhere(code)


def test_the_same_content_is_not_sent_again(cloud, held, tree, sync):
    first = sync()
    folders = [arrived(cloud, worker, first) for worker in held.workers]
    before = [(folder.stat().st_ino, folder.stat().st_ctime_ns) for folder in folders]
    assert sync() == first
    assert [(folder.stat().st_ino, folder.stat().st_ctime_ns) for folder in folders] == before
    assert sync.said[-1].endswith("to 0 workers")


def test_a_change_is_sent_alone(tree, sync):
    (tree / "large").write_bytes(random.Random(0).randbytes(3 << 20))
    sync()
    (tree / "plain.py").write_text("changed")
    sync.everywhere(sync())
    assert "1 of " in sync.said[-1]
    assert "KiB to 4 workers" in sync.said[-1]


def test_every_change_there_is(tree, sync):
    """One after another, each as a delta against the one before."""
    code = sync()
    changes = [
        (tree / "core").unlink,
        lambda: [(tree / "core").mkdir(), (tree / "core" / "now a folder").touch()],
        lambda: [subprocess.run(["rm", "-r", tree / "sub"], check=True), (tree / "sub").write_text("a file")],
        lambda: [(tree / "sub").unlink(), (tree / "sub").symlink_to("core")],
        lambda: (tree / "run.sh").chmod(0o644),
        lambda: [(tree / "link").unlink(), (tree / "link").symlink_to("plain.py")],
        lambda: [(tree / "link").unlink(), (tree / "link").write_text("was a link")],
        lambda: [(tree / "folder-link").unlink(), (tree / "folder-link").mkdir()],
        (tree / "folder-link" / "x").touch,
        lambda: (tree / "new\nline").write_text("changed"),
        (tree / "-leading-dash").unlink,
    ]
    seen = {code.snapshot}
    for change in changes:
        change()
        code = sync()
        sync.everywhere(code)
        seen.add(code.snapshot)
    assert len(seen) == len(changes) + 1
    assert all("to 4 workers" in said for said in sync.said if "snapshot" in said[:9] and "0 of" not in said)


def test_only_the_workers_without_it_get_it(cloud, held, tree, sync):
    code = sync()
    lost = arrived(cloud, held.workers[2], code)
    kept = arrived(cloud, held.workers[0], code)
    sync.settle()
    subprocess.run(["rm", "-rf", lost], check=True)
    inode = kept.stat().st_ino
    assert sync() == code
    assert as_seen(lost) == as_seen(tree)
    assert kept.stat().st_ino == inode
    assert sync.said[-1].endswith("to 1 workers")


def test_a_running_attempts_folder_never_changes(cloud, held, tree, sync):
    first = sync()
    running = arrived(cloud, held.workers[0], first)
    before = as_seen(running)
    (tree / "plain.py").write_text("changed meanwhile")
    second = sync()
    assert second.snapshot != first.snapshot
    assert as_seen(running) == before
    assert as_seen(arrived(cloud, held.workers[0], second)) == as_seen(tree)


def test_what_a_workload_writes_into_its_folder_stays_there(cloud, held, tree, sync):
    """Written in place, appended, added, removed: neither an older nor a newer snapshot has it."""
    first = sync()
    before = as_seen(arrived(cloud, held.workers[0], first))
    (tree / "plain.py").write_text("second")
    second = sync()
    running = arrived(cloud, held.workers[0], second)
    for name in ("plain.py", "run.sh", "sub/deep/er.py"):
        with (running / name).open("r+") as file:
            file.write("scribbled")
    (running / "made.py").touch()
    (running / "empty").unlink()
    (tree / "another.py").touch()
    third = sync()
    assert as_seen(arrived(cloud, held.workers[0], third)) == as_seen(tree)
    assert as_seen(arrived(cloud, held.workers[0], first)) == before
    shared = [path for path in running.rglob("*") if path.is_file() and path.stat().st_nlink > 1]
    assert shared == []


@pytest.mark.slow
def test_a_tree_of_30_mib(cloud, held, tree, sync):
    noise = random.Random(0)
    for number in range(30):
        (tree / f"blob-{number}").write_bytes(noise.randbytes(1 << 20))
    code = sync()
    for worker in held.workers:
        last = arrived(cloud, worker, code) / "blob-29"
        assert last.read_bytes() == (tree / "blob-29").read_bytes()


def test_the_plan_says_what_is_sent(tree, sync):
    (step,) = plugin.plan(sync.job.spec)
    assert tree.name in step.action


@pytest.mark.slow
def test_the_workload_starts_in_it_and_an_error_has_its_exit_code(tpuherd_run, tmp_path):
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "hello.sh").write_text(
        "echo hello from $(basename $PWD) $(basename $TPUHERD_CODE)\n"
    )
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
