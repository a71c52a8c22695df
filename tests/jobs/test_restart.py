"""`run --test-restart` with a small workload that keeps a counter: killed, started again, and judged."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from herd import wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from herd import Herd

COUNTS = """
trap 'echo asked to stop' TERM
n=0 last=LAST
if [ "$TPUHERD_RESUME" = 1 ]; then
  n=$(cat "$HOME/counter") last=$((n + 20))
  echo "restored step $n"
fi
echo started >> SHARED/ran-$TPUHERD_WORKER
while [ $n -lt $last ]; do
  n=$((n + 1)); echo $n > "$HOME/counter.new"; mv "$HOME/counter.new" "$HOME/counter"
  echo "step $n"; sleep 0.05
done
"""
RESTORED = ("--restored", r"restored step \d+")
TWO_WORKERS = {"accelerator": "v5p-16", "zone": "us-east5-a"}


def counting(herd: Herd, last: int = 1_000_000) -> Path:
    """A job that counts to `last`, and that goes on to 20 more if it is started again."""
    cmd = COUNTS.replace("SHARED", str(herd.shared)).replace("LAST", str(last))
    return herd.job(cmd, tpu=TWO_WORKERS)


@pytest.mark.slow
def test_killed_at_a_step_it_goes_on_where_it_was(cloud: Herd) -> None:
    done = cloud.ends_with(
        0, "run", counting(cloud), "--test-restart", "--kill-at", "step=20", *RESTORED, "--keep", "--json"
    )
    said = json.loads(done.stdout)
    assert said["state"] == "succeeded"
    assert said["restart_test"]["killed"].startswith("w0, w1: step=20, w")
    assert said["restart_test"]["verdict"].startswith("restored: w0: 'restored step ")
    assert "asked to stop" not in "".join(cloud.log(0)), "it was killed, not stopped"
    step = int(cloud.log(0, attempt=2)[0].rpartition(" ")[2])
    assert step >= 20
    assert cloud.log(0, attempt=2)[-1] == f"step {step + 20}"
    status = cloud.status()
    assert (status["attempt"], cloud.starts(0), cloud.starts(1)) == (2, 2, 2)
    began = {row["started_at"] for row in status["stages"] if row["stage"] == "provision"}
    assert len(began) == 1, "on the same slices"

    done = cloud.ends_with(8, "rerun", "job", "--fresh", "--", "sh", "-c", "exit 3")
    assert "restore" not in done.stderr, "what is run again is no restart test"


@pytest.mark.slow
def test_one_worker_at_a_line_and_what_does_not_restore(cloud: Herd) -> None:
    job = cloud.job("for i in $(seq 400); do echo at $i; sleep 0.05; done", tpu=TWO_WORKERS)
    words = (
        "--kill-at",
        "log=at 9$",
        "--kill-worker",
        "1",
        *RESTORED,
        "--override",
        "command.workers=[0, 1]",
    )
    process = cloud.start("run", job, "--test-restart", *words)
    cloud.until_says(process, "restart.killed: w1")
    assert wait_for(lambda: cloud.status()["attempt"] == 2)
    assert wait_for(lambda: cloud.starts(0) or "at 3" in cloud.log(0, attempt=2))
    cloud.ok("kill", "job", "--attempt", 2)
    assert process.wait(60) == 15
    text = process.log.read_text()  # type: ignore[attr-defined]
    assert "did not restore: no line of the second run matches" in text
    assert "attempt-1 and " in text


@pytest.mark.slow
def test_it_ended_before_the_kill_or_failed_by_itself(cloud: Herd) -> None:
    short = counting(cloud, last=3)
    done = cloud.ends_with(15, "run", short, "--test-restart", "--kill-at", "step=20", *RESTORED)
    assert "ended before it was to be killed (--kill-at step=20)" in done.stderr
    assert (cloud.status()["attempt"], cloud.status()["holds"]) == (1, "")
    bad = cloud.job("echo broken; exit 3", name="bad", tpu=TWO_WORKERS)
    done = cloud.ends_with(8, "run", bad, "--test-restart", *RESTORED)
    assert "exited with 3" in done.stderr
    assert cloud.status("bad")["attempt"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("point", ["restart.killing:", "stage.failed:run_workload", "after:collect"])
def test_the_controller_dies_in_between(cloud: Herd, point: str) -> None:
    job = counting(cloud)
    words = ("run", job, "--test-restart", "--kill-at", "step=10", *RESTORED)
    assert cloud.run(*words, crash=point).returncode == -9
    done = cloud.ends_with(0, *words, "--json")
    said = json.loads(done.stdout)
    assert said["restart_test"]["verdict"].startswith("restored: w0"), done.stderr
    assert (cloud.status()["attempt"], cloud.starts(0), cloud.starts(1)) == (2, 2, 2)
    assert cloud.cloud()["nodes"] == []


@pytest.mark.slow
def test_a_live_job_is_no_other_test(cloud: Herd) -> None:
    job = counting(cloud)
    process = cloud.start("run", job, "--test-restart", "--kill-at", "1h", *RESTORED)
    cloud.until_says(process, "step 3")
    process.kill()
    process.wait()
    done = cloud.ends_with(10, "run", job, "--test-restart", "--kill-at", "2h", *RESTORED)
    assert "was started with `--kill-at 1h`" in done.stderr
    cloud.ok("cancel", "job")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--test-restart",), "workload command does not say by which line"),
        (("--kill-at", "3s"), "--kill-at is about `--test-restart`"),
        (("--restored", "x"), "--restored is about `--test-restart`"),
        (("--test-restart", "--restored", "("), "--restored: '(' is no regular expression"),
        (("--test-restart", "--restored", "x", "--kill-at", "soon"), "--kill-at=soon: expected"),
        (("--test-restart", "--restored", "x", "--kill-worker", "b"), "'b': expected all"),
    ],
)
def test_wrong_options_are_refused_before_anything_happens(
    herd: Herd, words: tuple[str, ...], says: str
) -> None:
    done = herd.ends_with(3, "run", herd.job(), *words)
    assert says in done.stderr
    assert not list(herd.home.glob("jobs/*"))
