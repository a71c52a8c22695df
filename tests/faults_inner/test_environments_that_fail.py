"""Whole jobs whose environment cannot be made: clear words, an exit code of their own, and nothing left."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from containers import needs_podman

if TYPE_CHECKING:
    from containers import Podman
    from herd import Herd

pytestmark = pytest.mark.slow

PREPARE_FAILED = 6
TOOLS = Path(__file__).parents[2] / ".tools" / "uv" / "bin"
needs_uv = pytest.mark.skipif(
    not (shutil.which("uv") or (TOOLS / "uv").exists()),
    reason="uv makes the environments: put it on PATH, or into .tools/uv/bin",
)


def nothing_runs(herd: Herd) -> None:
    assert herd.cloud()["nodes"] == []
    assert not [line for line in herd.processes().values() if "podman" in line or "conmon" in line]


@needs_podman
def test_a_dockerfile(podman_herd: Herd, podman: Podman, docker: dict[str, object]) -> None:
    """First one that fails, then the same with that step put right; the code is the context."""
    (podman_herd.root / "Dockerfile").write_text(
        f"FROM {docker['image']}\nRUN echo reason; exit 4\nRUN echo later\n"
    )
    build = {"flags": ["--network=host"]}
    sections = {
        "job": {"env_type": "docker"},
        "docker": {"runtime": "podman", "login": docker["login"], "build": build},
        "code": {"sync": "worktree", "path": "."},
        "recovery": {"policy": "give_up"},
    }
    file = podman_herd.job("cat /made; ls", name="built", **sections)
    failed = podman_herd.ends_with(PREPARE_FAILED, "run", file, timeout_s=200)
    said = failed.stderr.replace("\n", " ")
    assert "Dockerfile (docker.build) fails at STEP 2/3: RUN echo reason; exit 4" in said
    assert "reason / Error: " in said
    assert "ls" not in failed.stdout
    nothing_runs(podman_herd)

    (podman_herd.root / "Dockerfile").write_text(f"FROM {docker['image']}\nRUN echo works > /made\n")
    done = podman_herd.ok("run", file, timeout_s=200)
    assert "w0  │ works" in done
    assert "w0  │ Dockerfile" in done
    nothing_runs(podman_herd)


@needs_uv
def test_a_requirement_that_does_not_exist(herd: Herd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{TOOLS}")
    herd.ok("cloud.up")
    venv = {"packages": ["iniconfig==0.0.77"]}
    sections = {"job": {"env_type": "venv"}, "venv": venv, "recovery": {"policy": "give_up"}}
    failed = herd.ends_with(PREPARE_FAILED, "run", herd.job("echo never", **sections), "--keep")
    assert "iniconfig==0.0.77" in failed.stderr
    assert "never" not in failed.stdout
    homes = list((herd.home / "emulator").glob("workers/*/home"))
    assert homes
    assert [path for home in homes for path in home.glob(".tpuherd/venvs/*") if path.suffix != ".lock"] == []
    herd.ok("release", "--job", "job")
    nothing_runs(herd)
