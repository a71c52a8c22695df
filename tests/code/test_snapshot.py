"""What a snapshot of a working tree has in it."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

import pytest

from tpuherd import SyncError
from tpuherd_worktree.snapshot import take_snapshot

STRANGE = (
    "name with spaces",
    "grüße-日本",
    "new\nline",
    "-leading-dash",
    "core",
    "empty",
    'quo"te',
    "tab\there",
)


def git(folder, *words):
    identity = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "protocol.file.allow=always"]
    subprocess.run(["git", "-C", folder, *identity, *words], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "-q")
    (root / "tracked.py").write_text("1\n")
    (root / ".gitignore").write_text("*.log\nbuild/\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    return root


def members(snapshot):
    with tarfile.open(fileobj=io.BytesIO(snapshot.archive)) as archive:
        return {member.name: member for member in archive.getmembers()}


def content(snapshot, name):
    with tarfile.open(fileobj=io.BytesIO(snapshot.archive)) as archive:
        return archive.extractfile(name).read()


def test_a_clean_repository_names_its_commit(repository):
    taken = take_snapshot(repository)
    head = subprocess.run(["git", "-C", repository, "rev-parse", "HEAD"], capture_output=True, text=True)
    assert (taken.commit, taken.dirty, taken.files) == (head.stdout.strip(), False, 2)


def test_the_tree_as_it_is_not_as_it_was_committed(repository):
    (repository / "tracked.py").write_text("2\n")
    (repository / "untracked.py").write_text("3\n")
    (repository / "noise.log").write_text("ignored\n")
    (repository / "build").mkdir()
    (repository / "build" / "x").touch()
    taken = take_snapshot(repository)
    assert set(members(taken)) == {".gitignore", "tracked.py", "untracked.py"}
    assert content(taken, "tracked.py") == b"2\n"
    assert taken.dirty


def test_deleted_files_are_gone(repository):
    (repository / "tracked.py").unlink()
    taken = take_snapshot(repository)
    assert set(members(taken)) == {".gitignore"}
    assert taken.dirty


def test_the_same_content_is_the_same_snapshot(repository):
    first = take_snapshot(repository)
    (repository / "tracked.py").write_text("2\n")
    changed = take_snapshot(repository)
    (repository / "tracked.py").write_text("1\n")
    os.utime(repository / "tracked.py", (5, 5))
    (repository / "tracked.py").chmod(0o664)
    again = take_snapshot(repository)
    assert (again.id, again.archive) == (first.id, first.archive)
    assert changed.id != first.id


def test_the_same_content_committed_or_not_is_the_same_snapshot(repository):
    (repository / "new.py").write_text("new\n")
    before = take_snapshot(repository)
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "second")
    after = take_snapshot(repository)
    assert before.id == after.id
    assert before.commit != after.commit
    assert (before.dirty, after.dirty) == (True, False)


def test_exec_bits_links_and_hard_links(repository):
    (repository / "run.sh").write_text("#!/bin/sh\n")
    plain = take_snapshot(repository)
    (repository / "run.sh").chmod(0o755)
    (repository / "link").symlink_to("run.sh")
    (repository / "dangling").symlink_to("nowhere")
    (repository / "folder-link").symlink_to(".")
    taken = take_snapshot(repository)
    found = members(taken)
    assert plain.id != taken.id
    assert (found["run.sh"].mode, found["tracked.py"].mode) == (0o755, 0o644)
    assert {name: found[name].linkname for name in ("link", "dangling", "folder-link")} == {
        "link": "run.sh",
        "dangling": "nowhere",
        "folder-link": ".",
    }


def test_hard_links_are_files_like_others(repository):
    (repository / "same.py").write_text("1\n")
    apart = take_snapshot(repository)
    (repository / "same.py").unlink()
    (repository / "same.py").hardlink_to(repository / "tracked.py")
    assert take_snapshot(repository).id == apart.id


def test_strange_names(repository):
    for name in STRANGE:
        (repository / name).write_text("" if name == "empty" else name)
    found = members(take_snapshot(repository))
    assert set(found) == {".gitignore", "tracked.py", *STRANGE}
    assert found["empty"].size == 0


def test_a_subfolder_of_a_repository_is_sent_alone(repository):
    (repository / "sub").mkdir()
    (repository / "sub" / "inner.py").write_text("inner\n")
    (repository / "sub" / "skipped.log").touch()
    taken = take_snapshot(repository / "sub")
    assert set(members(taken)) == {"inner.py"}
    assert taken.commit
    assert taken.dirty
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "second")
    (repository / "tracked.py").write_text("changed outside\n")
    assert not take_snapshot(repository / "sub").dirty


def test_without_git_all_but_caches(tmp_path):
    root = tmp_path / "plain"
    for name in ("a.py", "sub/b.py", "__pycache__/c.pyc", ".venv/d", "node_modules/e"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    (root / "link").symlink_to("sub")
    taken = take_snapshot(root)
    assert set(members(taken)) == {"a.py", "sub/b.py", "link"}
    assert (taken.commit, taken.dirty) == ("", False)


def test_a_repository_without_a_commit(tmp_path):
    git(tmp_path, "init", "-q")
    (tmp_path / "a.py").touch()
    taken = take_snapshot(tmp_path)
    assert (set(members(taken)), taken.commit, taken.dirty) == ({"a.py"}, "", True)


def test_submodules_and_nested_repositories_do_not_break_it(repository, tmp_path):
    shutil.copytree(repository, tmp_path / "library")
    git(repository, "submodule", "--quiet", "add", str(tmp_path / "library"), "library")
    nested = repository / "nested"
    nested.mkdir()
    git(nested, "init", "-q")
    (nested / "file").touch()
    assert {"tracked.py", ".gitmodules"} <= set(members(take_snapshot(repository)))


@pytest.mark.parametrize("kind", ["missing", "a file", "empty", "ignored"])
def test_nothing_to_send_is_an_error_that_names_the_folder(repository, tmp_path, kind):
    root = {
        "missing": tmp_path / "gone",
        "a file": repository / "tracked.py",
        "empty": tmp_path / "void",
    }.get(kind, repository / "build")
    if kind in {"empty", "ignored"}:
        root.mkdir()
    if kind == "ignored":
        (root / "made.py").touch()
    with pytest.raises(SyncError, match=rf"code\.path: .*{root.name}"):
        take_snapshot(root)


def test_a_file_that_cannot_be_read_is_named():
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        secret = root / "unreadable.py"
        secret.touch(mode=0o000)
        as_root = os.geteuid() == 0
        if as_root:  # root reads everything: be somebody else for a moment
            root.chmod(0o755)
            os.seteuid(65534)
        try:
            with pytest.raises(SyncError, match=r"cannot read .*unreadable\.py: Permission denied"):
                take_snapshot(root)
        finally:
            if as_root:
                os.seteuid(0)
