"""A forked command is like one that was started, in all that a test looks at."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import commands
import pytest

PLUGIN = """
import atexit, os, sys, time
shown = [open(f"/proc/self/{name}").read().split(chr(0)) for name in ("cmdline", "environ")]
print(sys.argv[1:], os.getcwd(), os.environ["COLOUR"], os.environ.get("HOME"), os.isatty(1), flush=True)
print([word for word in shown[0] if word][1:], "COLOUR=blue" in shown[1], flush=True)
print(os.getsid(0) == os.getpid(), sorted(map(int, os.listdir("/proc/self/fd")))[:4], flush=True)
print([name for name in sys.modules if name.startswith("tpuherd.")] != [], sys.path[1], flush=True)
if "wait" in os.environ["COLOUR"]:
    time.sleep(60)
"""

OUTLIVING = """
import os, time
if os.fork() == 0:
    began_by = os.getppid()
    while os.getppid() == began_by:
        time.sleep(0.01)
    os.write(1, b"the last word")
    os._exit(0)
"""


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "telling.py").write_text(PLUGIN)
    ours = {"PYTHONPATH": str(tmp_path), "TPUHERD_PLUGINS": "telling", "TPUHERD_HOME": str(tmp_path / "home")}
    return {"PATH": os.environ["PATH"], "COLOUR": "blue", **ours}


def test_it_tells_of_itself_what_a_started_one_tells(variables, tmp_path, monkeypatch):
    told = []
    for how in ("exec", "fork"):
        monkeypatch.setenv("STARTS", how)
        done = commands.run(["plugins.list", "--json"], env=variables, cwd=tmp_path, timeout_s=120)
        told.append((done.args, done.returncode, done.stdout, done.stderr))
    assert told[0] == told[1]
    assert "telling" in told[1][2]


def test_exit_codes_and_errors(variables, tmp_path):
    done = commands.run(["status", "nobody"], env=variables, cwd=tmp_path, timeout_s=120)
    assert (done.returncode != 0, done.stdout) == (True, "")
    assert "nobody" in done.stderr


def test_it_is_killed_waited_for_and_seen(variables, tmp_path):
    log = tmp_path / "log"
    with log.open("w") as file:
        process = commands.start(
            ["plugins.list"],
            env=variables | {"COLOUR": "wait"},
            cwd=tmp_path,
            log=file.fileno(),
            session=True,
        )
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.01)
    assert process.poll() is None
    process.kill()
    assert process.wait(60) == process.returncode == -signal.SIGKILL
    process.terminate()  # to nobody
    assert not Path(f"/proc/{process.pid}").exists()


def test_two_pipes_are_read_until_nobody_writes(tmp_path):
    (tmp_path / "telling.py").write_text(OUTLIVING)
    ours = {"PYTHONPATH": str(tmp_path), "TPUHERD_PLUGINS": "telling", "TPUHERD_HOME": str(tmp_path)}
    done = commands.run(["plugins.list"], env=os.environ | ours, cwd=tmp_path, timeout_s=120)
    assert done.returncode == 0
    assert done.stdout.endswith("the last word")
