"""Library code that changes when it is edited, and `code.diff`, which says what ran: whole jobs."""

from __future__ import annotations

import json

import pytest
import yaml
from trees import commit_all, git, make_repository

from tpuherd import ConfigError
from tpuherd.code.importing import import_roots, prelude
from tpuherd.model.outcome import SyncedCode


@pytest.fixture
def project(tmp_path):
    """A library with a src layout, a second project beside it, and an old copy of it as if installed."""
    root = make_repository(tmp_path / "project")
    for folder, name in (("src", "library"), ("tools", "helper")):
        (root / folder).mkdir()
        (root / folder / f"{name}.py").write_text("VALUE = 'first'\n")
    stale = tmp_path / "installed"
    stale.mkdir()
    (stale / "library.py").write_text("VALUE = 'stale'\n")
    (stale / "dependency.py").write_text("VALUE = 'found'\n")
    commit_all(root)
    return root


def job_file(tmp_path, *, cmd, **code):
    document = {
        "cloud": "emulator",
        "tpu": {"accelerator": "v5litepod-8", "zone": "us-west4-a"},
        "code": {"sync": "worktree", "path": "project", **code},
        "env": {"PYTHONPATH": str(tmp_path / "installed")},
        "command": {"cmd": cmd},
    }
    path = tmp_path / "job.yaml"
    path.write_text(yaml.safe_dump(document))
    return path


SAY = (
    'cd / && python3 -c "import library as a, helper as b, dependency as c; print(a.VALUE, b.VALUE, c.VALUE)"'
)


@pytest.mark.slow
def test_the_next_attempt_runs_the_edit_and_code_diff_shows_it(tpuherd_run, tmp_path, project):
    job = job_file(tmp_path, cmd=f"{SAY}; exit 3", editable=[".", "tools"])
    first = tpuherd_run("run-workload", "--job", job)
    assert "first first found" in first.stdout
    (project / "src" / "library.py").write_text("VALUE = 'edited'\n")
    (project / "new.txt").write_text("new\n")
    second = tpuherd_run("run-workload", "--job", job)
    assert "edited first found" in second.stdout
    look = 'cd / && python3 -c "import library, helper; print(library.VALUE, helper.VALUE)"'
    assert "edited first" in tpuherd_run("exec", "job", "--command", look).stdout
    assert tpuherd_run("release", "--job", job).exit_code == 0

    patch = tpuherd_run("code.diff", "job")
    assert "-VALUE = 'first'\n+VALUE = 'edited'" in patch.stdout
    assert git(project, "rev-parse", "HEAD") in patch.stderr
    assert "new.txt" in tpuherd_run("code.diff", "job", "--stat").stdout
    assert "no difference" in tpuherd_run("code.diff", "job:1").stderr

    between = json.loads(tpuherd_run("code.diff", "job:1", "job:2", "--json").stdout)
    wanted = [{"path": "new.txt", "state": "added"}, {"path": "src/library.py", "state": "changed"}]
    assert between["files"] == wanted
    assert [ran["dirty"] for ran in between["ran"]] == [False, True]
    assert between["ran"][0]["commit"] == between["ran"][1]["commit"] == git(project, "rev-parse", "HEAD")

    for words, said in (
        (("job:7",), "no code was sent for attempt 7"),
        (("job:x",), "number of an attempt"),
        ((), "which job"),
    ):
        refused = tpuherd_run("code.diff", *words)
        assert refused.exit_code
        assert said in refused.stderr


def test_a_folder_that_is_not_in_the_code_is_refused(project):
    assert import_roots(project, (".", "tools")) == ("src", "tools")
    assert import_roots(project, True) == ("src",)
    assert import_roots(project, False) == ()
    with pytest.raises(ConfigError, match=r"code\.editable: there is no folder nowhere"):
        import_roots(project, ("nowhere",))


@pytest.mark.parametrize("folder", ["/etc", "../up", "a:b", ""])
def test_folders_outside_of_the_code_are_refused(cloud, folder):
    with pytest.raises(ConfigError, match=r"code\.editable"):
        cloud.job({"code": {"sync": "worktree", "editable": [folder]}})


def test_without_editable_python_imports_as_it_always_does():
    assert prelude(SyncedCode(kind="worktree", snapshot="x", directory="y")) == ""


def test_strange_folders_are_words_of_the_shell():
    code = SyncedCode(kind="worktree", snapshot="x", directory="y", import_roots=("a b/src", "$(c)"))
    assert prelude(code).startswith("""export PYTHONPATH="$TPUHERD_CODE"/'a b/src':"$TPUHERD_CODE"/'$(c)'""")
