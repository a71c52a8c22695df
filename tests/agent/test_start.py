from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from .conftest import ended, wait_for

COUNT = "echo run >> $HOME/runs; sleep 60"


def runs(worker) -> int:
    file = worker.home / "runs"
    return len(file.read_text().split()) if file.exists() else 0


def begin(worker, spec: bytes) -> subprocess.Popen[bytes]:
    process = worker.open("start", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write(spec)
    process.stdin.close()
    process.stdin = None
    return process


def test_a_script_runs_with_its_folder_variables_files_and_path(worker):
    (worker.home / "code").mkdir()
    script = (
        'pwd; echo "$A|$B|$TPUHERD_ATTEMPT_ID"; cat "$TPUHERD_ATTEMPT_DIR/conf/x.txt"; echo "$PATH"; exit 3'
    )
    spec = {
        "cwd": "$HOME/code",
        "environment": {"A": "$HOME/a", "B": "b$HOME"},
        "files": {"conf/x.txt": "grüße\n"},
        "path_entries": ["$HOME/venv/bin"],
    }
    assert worker.start("job.1", script, **spec)["state"] in {"running", "exited"}
    status = ended(worker, "job.1")
    assert (status["state"], status["code"], status["signal"]) == ("exited", 3, None)
    lines = worker.log("job.1").decode().splitlines()
    home = worker.home
    assert lines[:3] == [f"{home}/code", f"{home}/a|b$HOME|job.1", "grüße"]
    assert lines[3].split(":")[0] == f"{home}/venv/bin"


def test_argv_and_a_signal(worker):
    worker.start("job.1", argv=["sh", "-c", "kill -SEGV $$"])
    status = ended(worker, "job.1")
    assert (status["state"], status["code"], status["signal"]) == ("signalled", signal.SIGSEGV, "SIGSEGV")
    assert status["started_at"] <= status["ended_at"]


def test_the_workload_has_no_terminal_no_input_and_ordinary_signals(worker):
    worker.start("job.1", "cat; ps -o sid= -p $$; grep SigIgn /proc/self/status; yes | head -n 1; ulimit -c")
    status = ended(worker, "job.1")
    lines = worker.log("job.1").decode().split("\n")
    assert int(lines[0]) == status["pid"]
    assert lines[1].split() == ["SigIgn:", "0" * 16]
    assert lines[2] == "y"


def test_a_program_that_does_not_exist(worker):
    worker.start("job.1", argv=["no-such-program"])
    status = ended(worker, "job.1")
    assert (status["state"], status["code"]) == ("exited", 127)
    assert b"cannot start 'no-such-program'" in worker.log("job.1")


def test_start_returns_the_status_and_keeps_nothing_of_the_session(worker):
    """The starter's stdout ends although the workload goes on: an SSH session would not hang."""
    done = worker.run("start", stdin=worker.spec("job.1", "sleep 60"))
    status = json.loads(done.stdout)
    assert status["state"] == "running"
    assert status["keeper_alive"]
    for pid in (status["pid"], worker.keeper_pid("job.1")):
        targets = {str(fd.readlink()) for fd in Path(f"/proc/{pid}/fd").iterdir()}
        assert not [target for target in targets if target.startswith(("pipe:", "socket:"))]


def test_starting_again_starts_nothing(worker):
    first = worker.start("job.1", COUNT)
    second = worker.start("job.1", COUNT)
    assert first["pid"] == second["pid"]
    wait_for(lambda: runs(worker) == 1)
    worker.stop("job.1", 0)
    assert worker.start("job.1", COUNT)["state"] == "stopped"
    assert runs(worker) == 1


def test_exactly_once_under_20_concurrent_starts(worker):
    starts = [begin(worker, worker.spec("job.1", COUNT)) for _ in range(20)]
    outputs = [process.communicate() for process in starts]
    statuses = [json.loads(out) for out, _ in outputs]
    assert {status["state"] for status in statuses} == {"running"}
    assert len({status["pid"] for status in statuses}) == 1
    assert runs(worker) == 1


@pytest.mark.slow
def test_exactly_once_although_starters_are_killed_at_random_points(worker):
    chance = random.Random(1)
    for number in range(25):
        attempt = f"job.{number}"
        starter = begin(worker, worker.spec(attempt, f"echo {attempt} >> $HOME/runs"))
        time.sleep(chance.uniform(0, 0.07))
        starter.kill()
        starter.communicate()
        worker.start(attempt, f"echo {attempt} >> $HOME/runs")
        assert ended(worker, attempt)["state"] == "exited"
    lines = (worker.home / "runs").read_text().split()
    assert sorted(lines) == sorted(f"job.{number}" for number in range(25))


@pytest.mark.slow
def test_at_most_once_although_everything_is_killed_at_random_points(worker):
    """Starter and keeper die; what was begun is `lost` and stays so, what was not begun starts."""
    chance = random.Random(2)
    for number in range(25):
        attempt = f"job.{number}"
        starter = begin(worker, worker.spec(attempt, f"echo {attempt} >> $HOME/runs; sleep 60"))
        time.sleep(chance.uniform(0.02, 0.07))
        for pid in [pid for pid in worker.processes() if is_agent(pid)]:
            kill(pid)
        starter.communicate()
        state = worker.start(attempt, f"echo {attempt} >> $HOME/runs; sleep 60")["state"]
        assert state in {"lost", "running"}
        assert worker.start(attempt, "echo again >> $HOME/runs")["state"] == state
        assert worker.stop(attempt, 0)["state"] == "stopped"
    lines = (worker.home / "runs").read_text().split()
    assert len(lines) == len(set(lines))
    assert worker.processes() == []


def is_agent(pid: int) -> bool:
    try:
        return b"/.tpuherd/agent/" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(
    ("spec", "key"),
    [
        (b"not json {", "no JSON"),
        (b"[]", "JSON object"),
        (b'{"attempt": "../x", "script": "true"}', "bad attempt id"),
        (b'{"attempt": "..", "script": "true"}', "bad attempt id"),
        (b'{"script": "true"}', "attempt"),
        (b'{"attempt": "a"}', "script, argv"),
        (b'{"attempt": "a", "script": "x", "argv": ["y"]}', "script, argv"),
        (b'{"attempt": "a", "script": "x", "shell": "zsh"}', "shell"),
        (b'{"attempt": "a", "script": "x", "files": {"../y": ""}}', "files"),
        (b'{"attempt": "a", "script": "x", "files": {"/y": ""}}', "files"),
        (b'{"attempt": "a", "script": "x", "files": {".agent/lock": ""}}', "files"),
        (b'{"attempt": "a", "script": "x", "files": {"output.log": ""}}', "files"),
        (b'{"attempt": "a", "script": "x", "environment": {"A=B": "hush"}}', "environment"),
        (b'{"attempt": "a", "script": "x", "environment": {"A": 1}}', "environment"),
        (b'{"attempt": "a", "script": "x", "environment": {"A": "hush\\u0000"}}', "environment"),
        (b'{"attempt": "a", "script": "x", "environment": {"A": "\\ud800hush"}}', "environment"),
        (b'{"attempt": "a", "script": "x", "path_entries": ["bin"]}', "path_entries"),
        (b'{"attempt": "a", "script": "x", "grace_s": -1}', "grace_s"),
        (b'{"attempt": "a", "script": "x", "check_devices": "no"}', "check_devices"),
        (b'{"attempt": "a", "script": "x", "cwd": "$HOME/missing"}', "cwd"),
    ],
)
def test_a_wrong_spec_touches_nothing_and_its_key_is_named(worker, spec, key):
    code, answer = worker.refusal("start", stdin=spec)
    assert code in {64, 65}
    assert key in answer["error"]
    assert "hush" not in answer["error"]
    assert not (worker.home / ".tpuherd" / "attempts").exists()


def test_secrets_are_nowhere_on_disk_and_on_no_command_line(worker):
    secret = "s3cr3t-0123456789"
    worker.start("job.1", "sleep 60", environment={"API_KEY": secret})
    wait_for(lambda: len(worker.processes()) >= 2)
    time.sleep(1.2)
    files = [path for path in worker.home.rglob("*") if path.is_file()]
    assert len(files) > 5
    assert not [path for path in files if secret.encode() in path.read_bytes()]
    lines = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in worker.processes()]
    assert not [line for line in lines if secret.encode() in line]
    record = json.loads((worker.directory("job.1") / ".agent" / "process.json").read_text())
    assert record["variables"] == ["API_KEY"]
    pairs = Path(f"/proc/{record['pid']}/environ").read_bytes().split(b"\0")
    assert f"API_KEY={secret}".encode() in pairs


def test_start_is_fast(worker):
    """Measured: about 35 ms on two slow cores; the bound is for a busy machine."""
    times_s = []
    for number in range(5):
        begun = time.monotonic()
        worker.start(f"job.{number}", "true")
        times_s.append(time.monotonic() - begun)
    print(f"start: {min(times_s) * 1000:.0f} ms")
    assert min(times_s) < 0.3
