"""How the code of two attempts differs."""

from __future__ import annotations

import shutil

import pytest
from trees import STRANGE, commit_all, fill, git, make_repository

from tpuherd import StateError, SyncedCode
from tpuherd.code.difference import against_commit, between
from tpuherd.code.snapshot import take_snapshot


def code(root):
    """What would be recorded of a folder as it is now."""
    taken = take_snapshot(root)
    return SyncedCode(
        kind="worktree",
        snapshot=taken.id,
        directory="x",
        commit=taken.origin.commit,
        dirty=taken.dirty,
        commit_tree=taken.origin.tree,
        repository=taken.origin.repository,
    )


def states(found):
    return {file.path: file.state for file in found.files()}


def test_what_was_changed_since_the_commit(repository):
    (repository / "tracked.py").write_text("2\n")
    (repository / "new.py").touch()
    (repository / ".gitignore").unlink()
    found = against_commit(code(repository))
    assert states(found) == {"tracked.py": "changed", "new.py": "added", ".gitignore": "deleted"}
    assert "-1\n+2\n" in found.patch()
    assert "tracked.py" in found.stat()


def test_it_stays_true_when_the_tree_moves_on(repository):
    (repository / "tracked.py").write_text("2\n")
    ran = code(repository)
    (repository / "tracked.py").write_text("3\n")
    commit_all(repository)
    assert "-1\n+2\n" in against_commit(ran).patch()


def test_nothing_changed_is_no_difference(repository):
    ran = code(repository)
    assert against_commit(ran) is None
    assert between(ran, code(repository)) is None


def test_two_repositories(repository, tmp_path):
    other = make_repository(tmp_path / "other")
    (other / "more.py").touch()
    assert states(between(code(repository), code(other))) == {"more.py": "added"}


def test_a_subfolder_is_compared_with_itself(repository):
    (repository / "sub").mkdir()
    (repository / "sub" / "a.py").write_text("a\n")
    commit_all(repository)
    (repository / "sub" / "a.py").write_text("b\n")
    assert states(against_commit(code(repository / "sub"))) == {"a.py": "changed"}


def test_a_subfolder_that_the_commit_does_not_have(repository):
    (repository / "sub").mkdir()
    (repository / "sub" / "a.py").touch()
    assert states(against_commit(code(repository / "sub"))) == {"a.py": "added"}


def test_strange_names_are_kept_apart(repository):
    fill(repository)
    found = states(against_commit(code(repository)))
    assert {name for name in STRANGE if not name.startswith("latin")} < set(found)
    assert "latin-\\xe9" in found


def test_submodules_are_left_out(repository, tmp_path):
    shutil.copytree(repository, tmp_path / "library")
    git(repository, "submodule", "--quiet", "add", str(tmp_path / "library"), "library")
    commit_all(repository)
    (repository / "library" / "tracked.py").write_text("changed in it\n")
    (repository / "tracked.py").write_text("changed\n")
    assert states(against_commit(code(repository))) == {"tracked.py": "changed"}


def test_code_without_a_commit_needs_another_job(tmp_path):
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.py").touch()
    with pytest.raises(StateError, match="started from no commit"):
        against_commit(code(tmp_path / "plain"))


def test_a_commit_that_is_gone_is_said(repository):
    (repository / "tracked.py").write_text("2\n")
    ran = code(repository)
    shutil.rmtree(repository)
    with pytest.raises(StateError, match="not on this machine"):
        against_commit(ran)
