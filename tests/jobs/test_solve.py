"""Ailments on real workers: found, repaired where that is safe, and only said where it is not."""

from __future__ import annotations

import json
import os
import signal
from typing import TYPE_CHECKING, Any

import pytest
from herd import _with_environment, wait_for
from keeping import kept_job

if TYPE_CHECKING:
    from collections.abc import Iterator

    from herd import Herd

pytestmark = pytest.mark.slow
LOCK = '"${TMPDIR:-/tmp}"/libtpu_lockfile'
LEAVES_ONE = "setsid sleep 642 >/dev/null 2>&1 </dev/null & true"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Herd]:
    folder = tmp_path_factory.mktemp("solve")
    (folder / "code").mkdir()
    (folder / "code" / "file").touch()
    with kept_job(folder, code={"sync": "worktree", "path": "code"}) as herd:
        yield herd


def ailing(herd: Herd, code: int, *words: object) -> dict[tuple[str, int], dict[str, Any]]:
    """What is not well, by check and worker."""
    rows = json.loads(herd.ends_with(code, "solve", "job", "--json", *words).stdout)
    return {(row["check"], row["worker"]): row for row in rows if row["verdict"] != "ok"}


def test_workers_that_are_well(kept: Herd) -> None:
    assert ailing(kept, 0) == {}
    shown = kept.ok("solve", "job")
    assert all(check in shown for check in ("mounts", "disk", "clock", "versions", "code", "apt lock"))


def test_a_lock_file_that_is_left_over(kept: Herd) -> None:
    kept.ok("exec", "job", "--workers", "1", "--command", f"touch {LOCK}")
    assert ailing(kept, 9, "--dry-run")["libtpu lock", 1]["verdict"] == "repairable"
    kept.ok("exec", "job", "--workers", "1", "--command", f"test -e {LOCK}")
    found = ailing(kept, 0)
    assert list(found) == [("libtpu lock", 1)]
    assert found["libtpu lock", 1]["verdict"] == "repaired"
    kept.ok("exec", "job", "--workers", "1", "--command", f"test ! -e {LOCK}")


def test_a_lock_file_that_somebody_holds(kept: Herd) -> None:
    hold = f"setsid flock {LOCK} sleep 641 >/dev/null 2>&1 </dev/null & sleep 0.5"
    kept.ok("exec", "job", "--workers", "3", "--command", hold)
    assert "sleep 641" in (found := ailing(kept, 9))["libtpu lock", 3]["text"], found
    assert [line for line in kept.processes().values() if line.startswith("sleep 641")], "it is left alone"
    (pid,) = [pid for pid, line in kept.processes().items() if line.startswith("sleep 641")]
    os.kill(pid, signal.SIGKILL)
    assert wait_for(lambda: ailing(kept, 0).get(("libtpu lock", 3), {}).get("verdict") == "repaired", 30)


def test_what_an_attempt_left(kept: Herd) -> None:
    kept.ok("rerun", "job", "--", "bash", "-c", LEAVES_ONE)
    left = [line for line in kept.processes().values() if line.startswith("sleep 642")]
    assert len(left) == 4
    assert {row["verdict"] for row in ailing(kept, 0).values()} == {"repaired"}
    assert not [line for line in kept.processes().values() if line.startswith("sleep 642")]
    assert ailing(kept, 0) == {}


def test_code_that_is_gone(kept: Herd) -> None:
    kept.ok("exec", "job", "--workers", "2", "--command", 'rm -rf "$TPUHERD_CODE"')
    assert list(ailing(kept, 9)) == [("code", 2)]
    kept.ok("rerun", "job", "--fresh")
    assert ailing(kept, 0) == {}


def test_a_worker_that_is_dead(cloud: Herd) -> None:
    cloud.ok("run", cloud.job(accelerator="v5litepod-16"), "--keep")
    home = next((cloud.home / "emulator").glob("workers/*-w2"))
    for pid, _ in _with_environment(str(home)):
        os.kill(pid, signal.SIGKILL)
    assert list(ailing(cloud, 9)) == [("answers", 2)]
