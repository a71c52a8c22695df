"""What stands around the workload, in whole jobs: keys, a folder in memory, scripts, secrets, ports."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import socket
import subprocess
import urllib.request
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from herd import output, wait_for
from searching import holding

if TYPE_CHECKING:
    from herd import Herd

pytestmark = pytest.mark.slow

SECRET = "s3cr3t-4711-for-nobody"
CMD = """
printf %s "$WANDB_API_KEY" | sha256sum
ssh-keygen -y -f ~/.ssh/id_lab > /dev/null && echo "key works"
cat ~/prepared
[ ! -e __SHARED__/wait ] || { echo waiting; while [ -e __SHARED__/wait ]; do sleep 0.1; done; }
"""
SCRIPTS = [
    {"name": "vm", "run": "echo once >> ~/prepared", "once": "vm"},
    {
        "name": "again",
        "run": "echo prepared worker $TPUHERD_WORKER; echo again >> ~/prepared",
        "workers": [1],
    },
]


def may_mount() -> bool:
    probe = ["unshare", "--mount", "mount", "-t", "tmpfs", "probe", "/mnt"]
    return os.geteuid() == 0 and subprocess.run(probe, capture_output=True).returncode == 0


def command_lines() -> str:
    """Those of all processes of this machine, tpuherd's and the workers'."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(path.read_bytes().decode(errors="replace"))
        except OSError:
            continue
    return "\n".join(found)


def test_a_job_with_everything_around_it(cloud: Herd) -> None:
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(cloud.root / "id_lab")], check=True
    )
    cloud.variables["LAB_WANDB"] = SECRET
    more = {"ramfs": {"path": "~/memory", "size_gib": 0.0625}} if may_mount() else {}
    job = cloud.job(
        CMD.replace("__SHARED__", str(cloud.shared)),
        accelerator="v5litepod-16",
        env={"WANDB_API_KEY": {"env": "LAB_WANDB"}},
        ssh={"identities": [{"private_key": {"file": "id_lab"}}]},
        setup={"scripts": SCRIPTS},
        **more,
    )
    steps = json.loads(cloud.ok("plan", job, "--json"))["steps"]
    planned = [step["action"].partition(" ")[0] for step in steps if step["stage"] == "equip_workers"]
    assert (sorted(planned[:-2]), planned[-2:]) == (["mount", "write"][-1 - len(more) :], ["vm,", "again,"])

    (cloud.shared / "wait").touch()
    run = cloud.start("run", job, "--keep")
    assert wait_for(lambda: output(run).count("waiting") == 4)  # one on each worker
    assert SECRET not in command_lines()
    (cloud.shared / "wait").unlink()
    assert run.wait(60) == 0, output(run)
    digest = hashlib.sha256(SECRET.encode()).hexdigest()
    assert cloud.log(0) == [f"{digest}  -", "key works", "once", "waiting"]
    assert "prepared worker 1" in cloud.ok("logs", "job", "--worker", "1")
    assert holding(cloud.home, SECRET) == []

    private = (cloud.root / "id_lab").read_text().splitlines()[1]
    assert len(holding(cloud.home, private)) == 4, "on each worker, and nowhere else"
    if more:
        cloud.ok("exec", "job", "--command", "echo kept > ~/memory/file")
    cloud.ok("rerun", "job")
    assert cloud.log(1, attempt=2)[2:] == ["once", "again", "again"]
    if more:
        assert cloud.ok("exec", "job", "--command", "cat ~/memory/file").count("kept") == 4

    cloud.ok("release", "--job", "job")
    assert holding(cloud.home, private) == []


def test_a_script_that_fails_ends_the_job_with_its_words(cloud: Herd) -> None:
    run = "[ $TPUHERD_WORKER != 2 ] || { echo no such module; exit 5; }"
    job = cloud.job("true", accelerator="v5litepod-16", setup={"scripts": [{"run": run, "name": "modules"}]})
    done = cloud.ends_with(6, "run", job)
    assert "setup: modules: 3 of 4 workers succeeded; w2 failed: exit 5" in done.stderr
    assert "no such module" in done.stderr
    assert cloud.cloud()["nodes"] == []


def test_ports_while_a_job_runs_and_from_the_command_line(cloud: Herd) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        port = listener.getsockname()[1]
    serve = (
        f"echo from-$TPUHERD_WORKER > page; exec timeout 100 python3 -m http.server --bind 127.0.0.1 {port}"
    )
    run = cloud.start(
        "run", cloud.job(serve, ports=[{"port": port, "local_port": 0}]), "--on-interrupt", "cancel"
    )
    cloud.until_says(run, "http://127.0.0.1:")
    (url,) = re.findall(r"w0 port \d+: (http://127.0.0.1:\d+)", output(run))
    assert wait_for(lambda: page(url) == b"from-0\n")
    forward = cloud.start("forward", "job", f"{port}:0", "--json")
    cloud.until_says(forward, "]")
    (row,) = json.loads(output(forward))
    assert (row["worker"], row["port"]) == (0, port)
    assert page(row["url"]) == b"from-0\n"
    forward.send_signal(signal.SIGINT)
    assert forward.wait(20) == 0
    cloud.ends_with(3, "forward", "job", "0")
    run.send_signal(signal.SIGINT)
    run.wait(60)
    assert page(url) is None


def page(url: str) -> bytes | None:
    try:
        with urllib.request.urlopen(f"{url}/page", timeout=20) as answer:
            return answer.read()
    except OSError:
        return None
