"""Commands on the workers of a job: which, as they speak, how they end, and that Ctrl-C ends them."""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest
from herd import BIN, output, wait_for
from keeping import kept_job, lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from herd import Herd

pytestmark = pytest.mark.slow


SECRET = "of-the-file-4711"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Herd]:
    folder = tmp_path_factory.mktemp("exec")
    (folder / "token").write_text(SECRET)
    env = {"GREETING": "it's  me", "STEPS": 3, "TOKEN": {"file": "token"}, "TPUHERD_STAGE": "mine"}
    with kept_job(folder, env=env) as herd:
        yield herd


def running(herd: Herd, text: str) -> list[int]:
    """The processes of this home with a text in their command line, but for those of ours that asked."""
    return [pid for pid, line in herd.processes().items() if text in line and "tpuherd exec" not in line]


@pytest.mark.parametrize(("words", "workers"), [("all", 4), ("2", 1), ("0,3", 2), ("1-3", 3), ("w0,2-3", 3)])
def test_on_a_choice_of_workers(kept: Herd, words: str, workers: int) -> None:
    said = kept.ok("exec", "job", "--workers", words, "--", "echo", "hello")
    assert lines(said) == ["hello"] * workers


def test_the_exit_code_is_the_worst(kept: Herd) -> None:
    done = kept.ends_with(7, "exec", "job", "--json", "--command", "exit $((TPU_WORKER_ID * 2 + 1))")
    assert [row["code"] for row in json.loads(done.stdout)] == [1, 3, 5, 7]
    assert "0 of 4 workers succeeded" in done.stderr


def test_it_has_the_variables_of_the_job(kept: Herd) -> None:
    script = (
        'echo "$GREETING/$STEPS/$TOKEN/$TPUHERD_WORKER of $TPUHERD_WORKERS/$TPUHERD_ATTEMPT/$TPUHERD_STAGE"'
    )
    said = lines(kept.ok("exec", "job", "--workers", "1,3", "--command", script))
    assert sorted(said) == [f"it's  me/3/{SECRET}/{index} of 4/1/mine" for index in (1, 3)]
    assert lines(kept.ok("exec", "job", "--workers", "1", "--bare", "--command", script))[0] == "/// of //"


def test_no_secret_is_on_a_command_line(kept: Herd) -> None:
    script = "cat /proc/*/cmdline 2>/dev/null | tr '\\0' ' '; [ -n \"$TOKEN\" ]"
    assert SECRET not in kept.ok("exec", "job", "--workers", "0", "--command", script)


@pytest.mark.parametrize("where", [(), ("--bare",)])
def test_standard_input_goes_to_every_worker(kept: Herd, where: tuple[str, ...]) -> None:
    data = "x" * 3_000_000 + "\nlast"
    done = subprocess.run(
        [BIN / "tpuherd", "exec", "job", "--stdin", *where, "--command", "md5sum; exit 4", "--json"],
        env=kept.environment(),
        input=data.encode(),
        capture_output=True,
        timeout=90,
    )
    assert done.returncode == 4, done.stderr
    digest = hashlib.md5(data.encode()).hexdigest()
    assert [row["stdout"].split()[0] for row in json.loads(done.stdout)] == [digest] * 4


def test_who_failed_is_named_with_the_end_of_what_it_said(kept: Herd) -> None:
    script = "[ $TPU_WORKER_ID != 2 ] || { echo the reason >&2; exit 3; }"
    done = kept.ends_with(3, "exec", "job", "--command", script)
    assert "3 of 4 workers succeeded; w2 failed: exit 3" in done.stderr
    assert "the reason" in done.stderr


def test_lines_are_shown_as_they_come(kept: Herd) -> None:
    process = kept.start("exec", "job", "--workers", "0", "--command", "echo first; sleep 611")
    kept.until_says(process, "first")
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert process.wait(90) == 130


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interruption_ends_it_everywhere(kept: Herd, number: signal.Signals) -> None:
    script = "trap '' HUP; (setsid sleep 612 &); echo ready; sleep 613"
    process = kept.start("exec", "job", "--command", script)
    assert wait_for(lambda: output(process).count("ready") == 4, 30)
    assert len(running(kept, "sleep 612")) == 4
    process.send_signal(number)
    assert process.wait(90) == 130
    assert not running(kept, "sleep 61")


def test_a_command_that_takes_too_long_is_ended(kept: Herd) -> None:
    done = kept.ends_with(9, "exec", "job", "--timeout-s", "1.5", "--", "sleep", "614")
    assert "timed out" in done.stderr
    assert not running(kept, "sleep 614")


def test_a_worker_that_is_not_there(kept: Herd) -> None:
    assert "the job has 0 to 3" in kept.ends_with(3, "exec", "job", "--workers", "2-4", "--", "true").stderr
    assert "expected all" in kept.ends_with(3, "exec", "job", "--workers", "some", "--", "true").stderr


def test_the_command_line_of_a_shell(kept: Herd) -> None:
    told = json.loads(kept.ok("ssh", "job:3", "--json"))
    assert told["worker"] == 3
    assert told["argv"][0] == "ssh"
    assert "-3" in next(word for word in told["argv"] if word.startswith("HostKeyAlias="))
    assert "a shell is on one worker" in kept.ends_with(3, "ssh", "job:0-1").stderr
    assert "there is no worker 4" in kept.ends_with(3, "ssh", "job:4").stderr
