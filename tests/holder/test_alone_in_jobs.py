"""`tpuherd exec` without a holder: a child finds out what to do, while the command connects."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from herd import output, wait_for
from holding import holders
from keeping import kept_job, lines

from tpuherd.holder.foreseen import NAME

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from herd import Herd

pytestmark = pytest.mark.slow
SHORT_WAY = """
import sys
from tpuherd.holder.quick import quick_exec
sys.exit(quick_exec(sys.argv[1:]) is None)
"""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Herd]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TPUHERD_HOLDER_IDLE_S", "0")
        patch.setenv("MY_TOKEN", "t-1")
        with kept_job(tmp_path_factory.mktemp("alone"), env={"X_TOKEN": {"env": "MY_TOKEN"}}) as herd:
            yield herd


@pytest.fixture
def note(kept: Herd) -> Path:
    """Where the workers are, as an earlier command has left it."""
    kept.ok("exec", "job", "--", "true")
    (path,) = kept.home.glob(f"jobs/job-????/{NAME}")
    return path


def is_short(herd: Herd, *words: str) -> bool:
    """True if the short way did it, whatever came of it."""
    done = subprocess.run([sys.executable, "-c", SHORT_WAY, *words], env=herd.environment(), cwd=herd.root)
    return done.returncode == 0


def test_only_the_first_one_goes_the_long_way(kept: Herd) -> None:
    (directory,) = kept.home.glob("jobs/job-????")
    (directory / NAME).unlink(missing_ok=True)
    assert not is_short(kept, "exec", "job", "--", "true")
    assert lines(kept.ok("exec", "job", "--", "echo", "long")) == ["long"] * 4
    assert is_short(kept, "exec", "job", "--", "true")
    assert is_short(kept, "exec", directory.name, "--workers", "1-2", "--", "true")
    assert lines(kept.ok("exec", "job", "--", "echo", "short")) == ["short"] * 4
    assert not holders(kept.home)


def test_what_it_runs_is_the_same(kept: Herd, note: Path) -> None:
    assert lines(kept.ok("exec", "job", "--workers", "2", "--command", "echo $TPUHERD_WORKER")) == ["2"]
    failed = kept.ends_with(7, "exec", "job", "--command", "exit $((7 - TPUHERD_WORKER))")
    assert "w0 failed: exit 7" in failed.stderr
    rows = json.loads(kept.ok("exec", "job", "--json", "--", "hostname"))
    assert [row["worker"] for row in rows] == [0, 1, 2, 3]


def test_what_is_wrong_is_said_as_ever(kept: Herd, note: Path) -> None:
    assert "there is no job 'jib'" in kept.ends_with(10, "exec", "jib", "--", "true").stderr
    assert "the job has 0 to 3" in kept.ends_with(3, "exec", "job", "--workers", "9", "--", "true").stderr


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '{"workers": 3}', '{"workers": [{"index": 0}], "access": {}}']
)
def test_a_note_that_means_nothing(kept: Herd, note: Path, text: str) -> None:
    note.write_text(text)
    assert lines(kept.ok("exec", "job", "--", "echo", "hello")) == ["hello"] * 4
    assert len(json.loads(note.read_text())["workers"]) == 4


def test_the_store_decides_where_a_command_runs(kept: Herd, note: Path) -> None:
    found = json.loads(note.read_text())
    found["workers"][0], found["workers"][3] = found["workers"][3], found["workers"][0]
    found["workers"][1]["ssh_address"] = "127.0.0.1"
    note.write_text(json.dumps(found))
    said = kept.ok("exec", "job", "--workers", "0,1", "--command", "echo $TPUHERD_WORKER")
    assert sorted(lines(said)) == ["0", "1"]
    assert json.loads(note.read_text()) != found


def test_its_end_ends_the_command(kept: Herd, note: Path) -> None:
    process = kept.start("exec", "job", "--command", "echo ready; sleep 715", session=True)
    assert wait_for(lambda: output(process).count("ready") == 4)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(60) == 130
    assert wait_for(lambda: not any("sleep 715" in one for one in kept.processes().values()))


def test_no_process_outlives_one_that_is_killed(kept: Herd, note: Path) -> None:
    process = kept.start("exec", "job", "--workers", "0", "--command", "echo ready; sleep 3")
    assert wait_for(lambda: "ready" in output(process))
    process.kill()
    process.wait(60)
    assert wait_for(lambda: not any("exec job" in one for one in kept.processes().values()))


def test_a_secret_of_the_users_shell(kept: Herd, note: Path) -> None:
    assert is_short(kept, "exec", "job", "--workers", "0", "--command", 'test "$X_TOKEN" = t-1')
    assert lines(kept.ok("exec", "job", "--workers", "0", "--command", "echo $X_TOKEN")) == ["t-1"]
