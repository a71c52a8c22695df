"""The real command line, with a holder and without."""

from __future__ import annotations

import json
import os
import signal
from typing import TYPE_CHECKING

import pytest
from herd import output, wait_for
from holding import holders
from keeping import kept_job, lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from herd import Herd

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Herd]:
    with kept_job(tmp_path_factory.mktemp("held")) as herd:
        herd.variables["XDG_RUNTIME_DIR"] = ""
        yield herd


def rows(herd: Herd) -> list[dict]:
    return json.loads(herd.ok("connections", "--json"))


def test_commands_share_connections(kept: Herd) -> None:
    assert lines(kept.ok("exec", "job", "--", "echo", "hello")) == ["hello"] * 4
    (row,) = rows(kept)
    assert (row["workers"], row["open"], row["in_use"]) == (4, 4, False)
    assert "4 of 4" in kept.ok("connections")
    kept.ok("ps", "job")
    kept.ok("exec", "job", "--bare", "--", "true")
    assert kept.ends_with(7, "exec", "job", "--workers", "1", "--command", "exit 7").stderr
    assert [one["holder"] for one in rows(kept)] == [row["holder"]]
    assert row["holder"] in holders(kept.home)


def test_what_is_wrong_is_said_as_ever(kept: Herd) -> None:
    assert "there is no job 'jib'" in kept.run("exec", "jib", "--", "true").stderr
    assert "the job has 0 to 3" in kept.ends_with(3, "exec", "job", "--workers", "9", "--", "true").stderr


def test_a_caller_that_is_killed_takes_its_command_along(kept: Herd) -> None:
    process = kept.start(
        "exec", "job", "--command", "trap '' HUP; (setsid sleep 712 &); echo ready; sleep 713"
    )
    assert wait_for(lambda: output(process).count("ready") == 4, 60)
    process.send_signal(signal.SIGKILL)
    process.wait(30)
    assert wait_for(lambda: not sleeping(kept), 60)


def test_a_holder_that_is_killed_is_said_and_replaced(kept: Herd) -> None:
    process = kept.start("exec", "job", "--command", "echo ready; sleep 714")
    assert wait_for(lambda: output(process).count("ready") == 4, 60)
    for pid in holders(kept.home):
        os.kill(pid, signal.SIGKILL)
    assert process.wait(60) == 9
    assert "0 of 4 workers succeeded" in output(process)
    assert "the connection holder" in output(process)
    assert not sleeping(kept), "the command was ended by way of another one"
    assert lines(kept.ok("exec", "job", "--", "echo", "again")) == ["again"] * 4


def test_without_one_all_goes_on(kept: Herd) -> None:
    kept.ok("connections.close")
    assert wait_for(lambda: not holders(kept.home), 30)
    kept.variables["TPUHERD_HOLDER_IDLE_S"] = "0"
    try:
        assert lines(kept.ok("exec", "job", "--", "echo", "direct")) == ["direct"] * 4
        assert not holders(kept.home)
        kept.variables["TPUHERD_HOLDER_IDLE_S"] = "soon"
        assert "TPUHERD_HOLDER_IDLE_S=soon: expected" in kept.ends_with(3, "exec", "job", "--", "true").stderr
    finally:
        del kept.variables["TPUHERD_HOLDER_IDLE_S"]


def test_another_attempt_and_the_end_of_the_job(kept: Herd) -> None:
    """The last one of this module: afterwards the job holds nothing."""
    kept.ok("rerun", "job", "--", "echo", "once more")
    (row,) = rows(kept)
    assert row["open"] == 4
    kept.ok("release", "--job", "job")
    assert wait_for(lambda: not holders(kept.home), 30), "a holder that holds nothing ends"
    assert rows(kept) == []
    assert "holds no workers" in kept.run("exec", "job", "--", "true").stderr


def sleeping(herd: Herd) -> list[int]:
    """Processes of the commands above on the workers."""
    return [pid for pid, line in herd.processes().items() if line.startswith("sleep 71")]
