"""`kill -9` in the middle of each stage: a real venv, a real working tree, a cloud that takes its time."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from herd import Herd, output, wait_for

from tpuherd_emulator.control.client import Control
from tpuherd_emulator.info import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WORKERS = range(4)
STEP_S = 0.1
"""Less than the cloud takes for anything."""


@pytest.fixture
def slow_cloud(herd: Herd) -> Herd:
    """A cloud in which nodes and queued resources stay as they are until somebody lets time pass."""
    herd.variables |= {
        "TPUHERD_PLUGINS": "midway",
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]),
    }
    herd.ok("cloud.up", "--clock=manual", "--create-s=1", "--delete-s=1", "--queue-s=0.4")
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


class Time:
    """Of the cloud: it passes only while something else is awaited, so that nothing is over too soon."""

    def __init__(self, herd: Herd) -> None:
        info = load(herd.home / "emulator" / "cloud.json")
        assert info, "no emulated cloud runs"
        self._control = Control(info)

    def until(self, condition: Callable[[], object]) -> bool:
        """Let it pass until something is true; False if it never was."""
        return wait_for(lambda: condition() or self._pass())

    def _pass(self) -> None:
        self._control.tick(STEP_S)

    def close(self) -> None:
        self._control.close()


@pytest.fixture
def time(slow_cloud: Herd) -> Iterator[Time]:
    made = Time(slow_cloud)
    yield made
    made.close()


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


def kill_when(time: Time, controller: subprocess.Popen[str], seen: Callable[[], object], stage: str) -> None:
    assert time.until(lambda: seen() or controller.poll() is not None), stage
    assert controller.poll() is None, f"{stage} was over too soon: {output(controller)}"
    controller.kill()
    controller.wait()


@pytest.mark.slow(30)
@pytest.mark.parametrize("mode", ["tpu-vm", "queued-resources"])
def test_in_the_middle_of_every_stage(slow_cloud: Herd, time: Time, mode: str) -> None:
    job = make_job(slow_cloud, mode)
    for stage, in_the_middle in middles(slow_cloud).items():
        controller = slow_cloud.start("run", job)
        kill_when(time, controller, in_the_middle, stage)
        started = [row["stage"] for row in slow_cloud.status()["stages"] if row["state"] == "started"]
        assert started == [stage]
        (slow_cloud.shared / f"after-{stage}").touch()
    last = slow_cloud.start("run", job)
    assert time.until(lambda: last.poll() is not None)
    assert last.returncode == 0, output(last)

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
