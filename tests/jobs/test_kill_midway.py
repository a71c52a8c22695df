"""`kill -9` in the middle of each stage: a real venv, a real working tree, a cloud that takes its time."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from herd import Herd, wait_for

if TYPE_CHECKING:
    from collections.abc import Callable

WORKERS = range(4)
SECOND = "1"


@pytest.fixture
def slow_cloud(herd: Herd) -> Herd:
    """A cloud in which nodes and queued resources stay for a while in each of their states."""
    herd.variables |= {
        "TPUHERD_PLUGINS": "midway",
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]),
    }
    herd.ok("cloud.up", "--create-s", SECOND, "--delete-s", SECOND, "--queue-s", "0.4")
    return herd


def make_tree(root: Path) -> Path:
    """A repository that takes a moment to pack and to send."""
    tree = root / "tree"
    tree.mkdir()
    (tree / "big.bin").write_bytes(os.urandom(30 << 20))
    (tree / "tool.sh").write_text("#!/bin/sh\n")
    (tree / "tool.sh").chmod(0o755)
    subprocess.run(["git", "init", "--quiet", str(tree)], check=True)
    return tree


def make_job(herd: Herd, mode: str) -> Path:
    make_tree(herd.root)
    return herd.job(
        job={"env_type": "venv"},
        tpu={"accelerator": "v5litepod-16", "zone": "us-west4-a", "allocation_mode": mode},
        venv={"packages": ["iniconfig", "numpy"]},
        code={"sync": "worktree", "path": "tree"},
        workload={"kind": "midway"},
    )


def middles(herd: Herd) -> dict[str, Callable[[], object]]:
    """What can be seen from outside when a stage is in its middle."""
    home = f"{herd.home}/emulator/workers/*/home/.tpuherd"
    found = lambda pattern: list(Path("/").glob(pattern.lstrip("/")))  # noqa: E731
    return {
        "provision": lambda: any(node["state"] == "CREATING" for node in herd.cloud()["nodes"]),
        "prepare_env": lambda: found(f"{home}/venvs/*.requirements"),
        "sync_code": lambda: found(f"{home}/code/.own/work"),
        "run_workload": lambda: found(f"{home}/attempts/*/output.log"),
        "collect": lambda: list(herd.home.glob("jobs/*/attempt-1/results/partial")),
        "release": lambda: any(node["state"] == "DELETING" for node in herd.cloud()["nodes"]),
    }


def kill_when(controller: subprocess.Popen[str], seen: Callable[[], object], stage: str) -> None:
    assert wait_for(lambda: seen() or controller.poll() is not None, 60), stage
    assert controller.poll() is None, f"{stage} was over too soon"
    controller.kill()
    controller.wait()


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["tpu-vm", "queued-resources"])
def test_in_the_middle_of_every_stage(slow_cloud: Herd, mode: str) -> None:
    job = make_job(slow_cloud, mode)
    for stage, in_the_middle in middles(slow_cloud).items():
        controller = slow_cloud.start("run", job)
        kill_when(controller, in_the_middle, stage)
        started = [row["stage"] for row in slow_cloud.status()["stages"] if row["state"] == "started"]
        assert started == [stage]
    slow_cloud.ok("run", job)

    assert slow_cloud.status()["state"] == "succeeded"
    assert [slow_cloud.starts(worker) for worker in WORKERS] == [1, 1, 1, 1]
    lines = [f"line {number}" for number in range(1, 31)]
    assert [slow_cloud.log(worker) for worker in WORKERS] == [lines] * 4
    assert len(slow_cloud.operations("create")) == 1
    assert len(slow_cloud.operations("delete")) == 1
    (results,) = slow_cloud.home.glob("jobs/*/attempt-1/results")
    assert (results / "whole").read_text() == "all"
    assert slow_cloud.cloud()["nodes"] == []
    slow_cloud.ok("cloud.down")
    slow_cloud.nothing_left()
