"""What a snapshot of a working tree has in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from trees import STRANGE, commit_all, fill, git

from tpuherd import SyncError
from tpuherd.code.snapshot import take_snapshot


def entries(taken):
    """Name to mode and content."""
    found = {}
    for entry in taken.store.git("ls-tree", "-r", "-z", taken.id).split(b"\0"):
        if entry:
            details, _, name = entry.partition(b"\t")
            mode, _, blob = details.decode().split()
            found[os.fsdecode(name)] = (mode, taken.store.git("cat-file", "blob", blob))
    return found


def names(taken):
    return set(entries(taken))


def test_a_clean_repository_names_its_commit(repository):
    taken = take_snapshot(repository)
    assert (taken.origin.commit, taken.dirty, taken.files) == (git(repository, "rev-parse", "HEAD"), False, 2)
    assert taken.id == taken.origin.tree == git(repository, "rev-parse", "HEAD^{tree}")


def test_the_tree_as_it_is_not_as_it_was_committed(repository):
    (repository / "tracked.py").write_text("2\n")
    (repository / "untracked.py").write_text("3\n")
    (repository / "noise.log").write_text("ignored\n")
    (repository / "build").mkdir()
    (repository / "build" / "x").touch()
    taken = take_snapshot(repository)
    assert names(taken) == {".gitignore", "tracked.py", "untracked.py"}
    assert entries(taken)["tracked.py"][1] == b"2\n"
    assert taken.dirty


def test_a_tracked_file_that_is_ignored_too_is_sent(repository):
    (repository / "kept.log").write_text("kept\n")
    git(repository, "add", "-f", "kept.log")
    assert "kept.log" in names(take_snapshot(repository))


def test_deleted_files_are_gone(repository):
    take_snapshot(repository)
    (repository / "tracked.py").unlink()
    taken = take_snapshot(repository)
    assert names(taken) == {".gitignore"}
    assert taken.dirty


def test_what_gets_ignored_later_is_gone_later(repository):
    (repository / "notes.txt").touch()
    assert "notes.txt" in names(take_snapshot(repository))
    (repository / ".gitignore").write_text("notes.txt\n")
    assert "notes.txt" not in names(take_snapshot(repository))


def test_the_same_content_is_the_same_snapshot(repository):
    first = take_snapshot(repository)
    (repository / "tracked.py").write_text("2\n")
    changed = take_snapshot(repository)
    (repository / "tracked.py").write_text("1\n")
    os.utime(repository / "tracked.py", (5, 5))
    (repository / "tracked.py").chmod(0o664)
    assert take_snapshot(repository).id == first.id
    assert changed.id != first.id


def test_a_change_at_once_that_leaves_the_size_is_seen(repository):
    file = repository / "tracked.py"
    ids = set()
    for number in range(10):
        file.write_text(f"{number}\n")
        ids.add(take_snapshot(repository).id)
    assert len(ids) == 10


def test_the_same_content_committed_or_not_is_the_same_snapshot(repository):
    (repository / "new.py").write_text("new\n")
    before = take_snapshot(repository)
    commit_all(repository)
    after = take_snapshot(repository)
    assert before.id == after.id
    assert before.origin.commit != after.origin.commit
    assert (before.dirty, after.dirty) == (True, False)


def test_exec_bits_links_and_hard_links(repository):
    (repository / "run.sh").write_text("#!/bin/sh\n")
    plain = take_snapshot(repository)
    (repository / "run.sh").chmod(0o755)
    (repository / "link").symlink_to("run.sh")
    (repository / "dangling").symlink_to("nowhere")
    (repository / "folder-link").symlink_to(".")
    (repository / "same.py").hardlink_to(repository / "tracked.py")
    taken = take_snapshot(repository)
    found = entries(taken)
    assert plain.id != taken.id
    assert (found["run.sh"][0], found["same.py"]) == ("100755", ("100644", b"1\n"))
    links = {name: content for name, (mode, content) in found.items() if mode == "120000"}
    assert links == {"link": b"run.sh", "dangling": b"nowhere", "folder-link": b"."}


def test_a_file_a_folder_and_a_link_take_each_others_place(repository):
    place = repository / "place"
    (repository / "elsewhere").mkdir()
    (repository / "elsewhere" / "inner").write_text("elsewhere")
    place.mkdir()
    (place / "inner").write_text("folder")
    commit_all(repository)
    folder = take_snapshot(repository)
    shutil.rmtree(place)
    place.symlink_to("elsewhere")
    link = take_snapshot(repository)
    place.unlink()
    place.write_text("file")
    file = take_snapshot(repository)
    place.unlink()
    place.mkdir()
    (place / "inner").write_text("folder")
    assert entries(folder)["place/inner"][1] == b"folder"
    assert entries(link)["place"] == ("120000", b"elsewhere")
    assert entries(file)["place"] == ("100644", b"file")
    assert take_snapshot(repository).id == folder.id


@pytest.mark.parametrize("tracked", [True, False])
def test_strange_names(repository, tracked):
    fill(repository)
    if tracked:
        commit_all(repository)
    taken = take_snapshot(repository)
    assert set(STRANGE) < names(taken)
    assert entries(taken)["empty"][1] == b""


def test_a_subfolder_of_a_repository_is_sent_alone(repository):
    (repository / "sub").mkdir()
    (repository / "sub" / "inner.py").write_text("inner\n")
    (repository / "sub" / "skipped.log").touch()
    taken = take_snapshot(repository / "sub")
    assert names(taken) == {"inner.py"}
    assert taken.origin.commit
    assert taken.dirty
    commit_all(repository)
    (repository / "tracked.py").write_text("changed outside\n")
    assert not take_snapshot(repository / "sub").dirty


def test_without_git_all_but_caches(tmp_path):
    root = tmp_path / "plain"
    for name in ("a.py", "sub/b.py", "__pycache__/c.pyc", ".venv/d", "node_modules/e"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    (root / "link").symlink_to("sub")
    taken = take_snapshot(root)
    assert names(taken) == {"a.py", "sub/b.py", "link"}
    assert (taken.origin.commit, taken.dirty) == ("", False)


def test_a_repository_without_a_commit(tmp_path):
    root = tmp_path / "young"
    root.mkdir()
    git(root, "init", "-q")
    (root / "a.py").touch()
    taken = take_snapshot(root)
    assert (names(taken), taken.origin.commit, taken.dirty) == ({"a.py"}, "", True)


def test_submodules_and_nested_repositories_are_sent_as_they_are(repository, tmp_path):
    shutil.copytree(repository, tmp_path / "library")
    git(repository, "submodule", "--quiet", "add", str(tmp_path / "library"), "library")
    (repository / "library" / "tracked.py").write_text("changed in the submodule\n")
    nested = repository / "nested"
    nested.mkdir()
    git(nested, "init", "-q")
    (nested / "file").touch()
    found = entries(take_snapshot(repository))
    assert {"tracked.py", ".gitmodules", "library/tracked.py", "nested/file"} <= set(found)
    assert found["library/tracked.py"][1] == b"changed in the submodule\n"
    assert not [name for name in found if ".git" in Path(name).parts]


def test_a_submodule_that_was_never_fetched_is_left_out(repository, tmp_path):
    shutil.copytree(repository, tmp_path / "library")
    git(repository, "submodule", "--quiet", "add", str(tmp_path / "library"), "library")
    commit_all(repository)
    subprocess.run(["git", "clone", "-q", repository, tmp_path / "clone"], check=True, capture_output=True)
    assert names(take_snapshot(tmp_path / "clone")) == {"tracked.py", ".gitmodules", ".gitignore"}


def test_bytes_are_those_on_the_disk_whatever_attributes_say(repository):
    (repository / ".gitattributes").write_text("*.txt text eol=lf\n*.bin filter=upper\nkept export-ignore\n")
    git(repository, "config", "filter.upper.clean", "tr a-z A-Z")
    (repository / "windows.txt").write_bytes(b"one\r\ntwo\r\n")
    (repository / "data.bin").write_text("lower")
    (repository / "kept").touch()
    commit_all(repository)
    taken = take_snapshot(repository)
    found = entries(taken)
    assert (found["windows.txt"][1], found["data.bin"][1]) == (b"one\r\ntwo\r\n", b"lower")
    assert "kept" in found
    assert not taken.dirty


def test_the_users_repository_is_not_touched(repository):
    (repository / "new.py").touch()

    def looked():
        inside = (path for path in (repository / ".git").rglob("*"))
        return {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in inside}

    before = looked()
    take_snapshot(repository)
    assert looked() == before


def test_tpuherds_own_home_is_never_sent(repository, monkeypatch):
    monkeypatch.setenv("TPUHERD_HOME", str(repository / "state"))
    first = take_snapshot(repository)
    assert take_snapshot(repository).id == first.id
    assert names(first) == {"tracked.py", ".gitignore"}


def test_called_from_a_git_hook_it_looks_at_the_right_repository(repository, monkeypatch, tmp_path):
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "other" / "index"))
    assert names(take_snapshot(repository)) == {"tracked.py", ".gitignore"}


def test_snapshots_at_the_same_time_agree(repository):
    fill(repository)
    ids = []
    threads = [threading.Thread(target=lambda: ids.append(take_snapshot(repository).id)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ids) == 6
    assert len(set(ids)) == 1


def test_a_lock_that_a_killed_git_left_is_removed(repository, tmp_path):
    first = take_snapshot(repository)
    (index,) = [path for path in (tmp_path / "tpuherd-home" / "code" / "index").iterdir() if not path.suffix]
    Path(f"{index}.lock").touch()
    assert take_snapshot(repository).id == first.id


@pytest.mark.parametrize("kind", ["missing", "a file", "empty", "ignored", "an empty repository", "deleted"])
def test_nothing_to_send_is_an_error_that_names_the_folder(repository, tmp_path, kind):
    root = {
        "missing": tmp_path / "gone",
        "a file": repository / "tracked.py",
        "empty": tmp_path / "void",
        "an empty repository": tmp_path / "void",
        "deleted": repository,
    }.get(kind, repository / "build")
    if kind in {"empty", "ignored", "an empty repository"}:
        root.mkdir()
    if kind == "ignored":
        (root / "made.py").touch()
    if kind == "an empty repository":
        git(root, "init", "-q")
    if kind == "deleted":
        (root / "tracked.py").unlink()
        (root / ".gitignore").unlink()
    with pytest.raises(SyncError, match=rf"code\.path: .*{root.name}"):
        take_snapshot(root)


TAKE = """
import os, sys
from pathlib import Path
from tpuherd.code.snapshot import take_snapshot
if os.geteuid() == 0:  # root reads everything: be somebody else
    os.setgid(65534)
    os.setuid(65534)
take_snapshot(Path(sys.argv[1]))
"""


def test_a_file_that_cannot_be_read_is_named():
    with tempfile.TemporaryDirectory() as name:
        root = Path(name) / "code"
        root.mkdir(mode=0o755)
        (root / "unreadable.py").touch(mode=0o000)
        Path(name).chmod(0o777)
        environment = {**os.environ, "TPUHERD_HOME": f"{name}/home", "HOME": name}
        done = subprocess.run(
            [sys.executable, "-c", TAKE, root], env=environment, capture_output=True, text=True
        )
        assert f"SyncError: cannot read {root}/unreadable.py: Permission denied" in done.stderr
