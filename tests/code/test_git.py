"""Commits of git repositories on the workers, fetched here."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from trees import arrived, as_seen, commit_all, fill, git, make_repository, new_folder

import tpuherd_git as plugin
from tpuherd import ConfigError, SyncError
from tpuherd_git.config import GitSection


@pytest.fixture
def origin(tmp_path):
    """A repository that others fetch from, with files of every kind."""
    root = make_repository(tmp_path / "origin")
    fill(root)
    commit_all(root)
    return root


@pytest.fixture
def sync(cloud, held, origin):
    """A function that sends what a `git` section names, and returns the code."""

    def call(**section):
        where = {} if {"url", "path"} & section.keys() else {"url": f"file://{origin}"}
        document = {"code": {"sync": "git"}, "git": {**where, **section}}
        job = cloud.job(document, job_id=f"git-{new_folder(cloud).name}")
        call.said = []
        job.session.reporter.note = call.said.append
        return plugin.sync_code(job, held)

    return call


def checked_out(origin, ref, folder):
    """What git itself makes of it."""
    subprocess.run(["git", "clone", "-q", "--no-checkout", origin, folder], check=True, capture_output=True)
    git(folder, "checkout", "-q", "--detach", ref)
    if (folder / ".gitmodules").exists():
        git(folder, "submodule", "--quiet", "update", "--init", "--recursive")
    return as_seen(folder)


@pytest.fixture
def local_submodules(monkeypatch):
    """Git fetches submodules from folders only if it is told so."""
    for name, value in {"COUNT": "1", "KEY_0": "protocol.file.allow", "VALUE_0": "always"}.items():
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)


def test_the_main_branch_as_git_checks_it_out(cloud, held, origin, sync, tmp_path):
    code = sync()
    assert (code.kind, code.commit, code.dirty) == ("git", git(origin, "rev-parse", "HEAD"), False)
    wanted = checked_out(origin, "HEAD", tmp_path / "clone")
    assert len(wanted) > 18
    for worker in held.workers:
        assert as_seen(arrived(cloud, worker, code)) == wanted


def test_what_is_not_committed_is_not_sent(cloud, held, origin, sync):
    (origin / "tracked.py").write_text("not committed")
    code = sync(path=str(origin))
    assert (arrived(cloud, held.workers[0], code) / "tracked.py").read_text() == "1\n"


def test_every_kind_of_ref(origin, sync):
    first = git(origin, "rev-parse", "HEAD~1")
    git(origin, "tag", "-am", "annotated", "v1.0", first)
    git(origin, "checkout", "-q", "-b", "feature/x")
    (origin / "feature").touch()
    feature = commit_all(origin)
    git(origin, "checkout", "-q", "--detach")
    (origin / "pulled").touch()
    pull = commit_all(origin)
    git(origin, "update-ref", "refs/pull/123/head", pull)
    git(origin, "checkout", "-q", "main")
    refs = {
        "main": git(origin, "rev-parse", "main"),
        "feature/x": feature,
        "v1.0": first,
        first: first,
        first[:10]: first,
        "pull/123": pull,
        "pull/123/head": pull,
        "refs/heads/feature/x": feature,
    }
    assert {ref: sync(ref=ref).commit for ref in refs} == refs


def test_a_branch_that_moves_and_one_that_is_rewritten(cloud, held, origin, sync):
    sync(ref="main")
    (origin / "tracked.py").write_text("2\n")
    (origin / "core").unlink()
    moved = commit_all(origin)
    assert sync(ref="main").commit == moved
    git(origin, "commit", "-q", "--amend", "-m", "rewritten")
    rewritten = git(origin, "rev-parse", "HEAD")
    code = sync(ref="main")
    assert code.commit == rewritten != moved
    assert as_seen(arrived(cloud, held.workers[1], code)).keys() == as_seen(origin).keys()


def test_a_fork_is_another_address(origin, sync, tmp_path):
    fork = tmp_path / "fork"
    subprocess.run(["git", "clone", "-q", origin, fork], check=True)
    (fork / "own").touch()
    commit = commit_all(fork)
    assert sync(url=f"file://{fork}", ref="main").commit == commit
    assert sync(ref="main").commit == git(origin, "rev-parse", "main")


def test_one_commit_of_history_is_enough(origin, sync):
    assert sync(ref="main", depth=1).commit == git(origin, "rev-parse", "main")


def test_attributes_are_those_of_a_checkout(cloud, held, origin, sync, tmp_path):
    (origin / ".gitattributes").write_text("*.txt text eol=crlf\nhidden export-ignore\nsub export-ignore\n")
    (origin / "lines.txt").write_bytes(b"one\r\ntwo\r\n")
    (origin / "hidden").write_text("arrives")
    commit_all(origin)
    code = sync()
    found = as_seen(arrived(cloud, held.workers[0], code))
    assert found["lines.txt"] == (False, b"one\r\ntwo\r\n")
    assert found["hidden"] == (False, b"arrives")
    assert found == checked_out(origin, "HEAD", tmp_path / "clone")


@pytest.mark.usefixtures("local_submodules")
def test_submodules_with_what_is_in_them(cloud, held, origin, sync, tmp_path):
    library = make_repository(tmp_path / "library")
    git(origin, "submodule", "--quiet", "add", str(library), "nested/library")
    with_it = commit_all(origin)
    code = sync()
    assert as_seen(arrived(cloud, held.workers[0], code)) == checked_out(origin, with_it, tmp_path / "clone")
    assert (arrived(cloud, held.workers[0], code) / "nested" / "library" / "tracked.py").exists()
    without = sync(ref=git(origin, "rev-parse", "HEAD~1"))
    assert not (arrived(cloud, held.workers[0], without) / "nested").exists()


POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 5\n"


def test_large_files_are_pointers_where_git_lfs_is_missing(cloud, held, origin, sync, monkeypatch, tmp_path):
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("git", "ssh", "sh"):
        (programs / name).symlink_to(shutil.which(name))
    monkeypatch.setenv("PATH", str(programs))
    pointer = POINTER.format("a" * 64)
    (origin / ".gitattributes").write_text("*.bin filter=lfs diff=lfs merge=lfs -text\n")
    (origin / "model.bin").write_text(pointer)
    commit_all(origin)
    code = sync()
    assert (arrived(cloud, held.workers[0], code) / "model.bin").read_text() == pointer
    assert any("git-lfs is not installed on this machine" in said for said in sync.said)


@pytest.mark.skipif(shutil.which("git-lfs") is None, reason="git-lfs is not installed on this machine")
def test_large_files_arrive_whole_where_git_lfs_is_there(cloud, held, origin, sync):
    git(origin, "lfs", "install", "--local")
    git(origin, "lfs", "track", "*.bin")
    (origin / "model.bin").write_bytes(b"large")
    commit_all(origin)
    assert git(origin, "show", "HEAD:model.bin").startswith("version https://git-lfs")
    code = sync()
    assert (arrived(cloud, held.workers[0], code) / "model.bin").read_bytes() == b"large"


def test_what_a_killed_git_left_does_not_stand_in_the_way(cloud, held, origin, sync, tmp_path):
    sync()
    (folder,) = (tmp_path / "tpuherd-home" / "code" / "checkouts").glob("*/.git")
    (folder / "index.lock").touch()
    (folder / "shallow.lock").touch()
    (folder.parent / "tracked.py").write_text("half")
    (folder.parent / "junk").touch()
    (origin / "more").touch()
    commit = commit_all(origin)
    code = sync()
    assert code.commit == commit
    found = as_seen(arrived(cloud, held.workers[0], code))
    assert (found["tracked.py"], "junk" in found) == ((False, b"1\n"), False)


@pytest.mark.parametrize(
    ("section", "said"),
    [
        (
            {"ref": "no-such-branch"},
            r"git\.ref: file://.* has no branch, tag, commit or pull request no-such-branch",
        ),
        ({"ref": "0" * 40}, r"git\.ref: file://.* has no branch, tag, commit or pull request 0{40}"),
        (
            {"url": "file:///no/such/repository"},
            r"git\.url: cannot fetch HEAD of file:///no/such/repository: ",
        ),
        ({"path": "no-such-folder"}, r"git\.path: cannot fetch HEAD of no-such-folder: "),
    ],
)
def test_what_is_not_there_is_named(sync, section, said):
    with pytest.raises(SyncError, match=said):
        sync(**section)


def test_an_empty_repository(sync, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    git(empty, "init", "-q")
    with pytest.raises(SyncError, match=r"git\.ref: .*empty has no branch"):
        sync(path=str(empty))


def test_an_empty_commit(sync, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    git(empty, "init", "-q", "-b", "main")
    git(empty, "commit", "-q", "--allow-empty", "-m", "nothing")
    with pytest.raises(SyncError, match="there is nothing to send"):
        sync(path=str(empty))


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({}, "either url or path"),
        ({"url": "https://a/b", "path": "x"}, "either url or path"),
        ({"path": "x", "fetch_on": "workers"}, "workers cannot fetch a path"),
        ({"url": "https://me:secret@example.com/x"}, "password"),
        ({"url": "--upload-pack=x"}, "no address"),
        ({"url": "ext::sh -c x"}, "no address"),
        ({"url": "https://a/b", "ref": "--force"}, "no name of a branch"),
        ({"url": "https://a/b", "ref": "a b"}, "no name of a branch"),
        ({"url": "https://a/b", "ref": "a:b"}, "no name of a branch"),
        ({"url": "https://a/b", "depth": 0}, "depth"),
        ({"url": "https://a/b", "fetch_on": "moon"}, "fetch_on"),
    ],
)
def test_bad_sections_are_refused_before_anything_happens(cloud, section, said):
    with pytest.raises(ConfigError, match=said) as raised:
        cloud.job({"code": {"sync": "git"}, "git": section})
    assert "secret@" not in str(raised.value)


def test_a_missing_section_is_named(cloud, held):
    job = cloud.job({"code": {"sync": "git"}})
    with pytest.raises(ConfigError, match="section 'git' is missing"):
        plugin.plan(job.spec)


def test_pull_requests_by_their_number():
    refs = {
        ref: GitSection(url="https://a/b", ref=ref).refspec
        for ref in ("pull/7", "pull/7/head", "pull", "main")
    }
    assert list(refs.values()) == ["refs/pull/7/head", "refs/pull/7/head", "pull", "main"]


def test_the_plan_says_who_fetches_what(cloud):
    section = {"url": "https://example.com/x", "ref": "pull/7"}
    steps = plugin.plan(cloud.job({"code": {"sync": "git"}, "git": section}).spec)
    assert [step.where for step in steps] == ["this machine", "every worker"]
    section["fetch_on"] = "workers"
    (step,) = plugin.plan(cloud.job({"code": {"sync": "git"}, "git": section}).spec)
    assert (step.where, step.action) == ("every worker", "git fetch https://example.com/x pull/7")


def times(root):
    return {path: path.stat().st_mtime_ns for path in root.rglob("*") if path.exists()}


def test_nothing_of_the_users_is_written(origin, sync):
    before = times(origin)
    sync(path=str(origin))
    assert times(origin) == before
