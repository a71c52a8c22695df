"""Creating, listing and deleting some slices with commands: gcloud's and ours, on the same emulated cloud."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

Command = list[str]

AT_ONCE = 2
"""Commands at the same time: each of them keeps a core busy."""
ZONE = "us-west4-a"
TYPE, VERSION = "v5litepod-16", "v2-alpha-tpuv5-lite"


def gcloud_environment(rest_url: str, project: str, folder: Path) -> dict[str, str]:
    """What leads gcloud to an emulated cloud, with settings of its own."""
    return os.environ | {
        "CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU": f"{rest_url}/",
        "CLOUDSDK_AUTH_DISABLE_CREDENTIALS": "true",
        "CLOUDSDK_CORE_PROJECT": project,
        "CLOUDSDK_CORE_DISABLE_PROMPTS": "true",
        "CLOUDSDK_CORE_DISABLE_USAGE_REPORTING": "true",
        "CLOUDSDK_COMPONENT_MANAGER_DISABLE_UPDATE_CHECK": "true",
        "CLOUDSDK_CONFIG": str(folder),
    }


def gcloud_commands(slices: int) -> dict[str, list[Command]]:
    """What a user of gcloud types, phase by phase."""
    base = ["gcloud", "compute", "tpus", "tpu-vm"]
    names, zone = [f"slice-{number}" for number in range(slices)], f"--zone={ZONE}"
    asked = [zone, f"--accelerator-type={TYPE}", f"--version={VERSION}"]
    return {
        "create": [[*base, "create", name, *asked] for name in names],
        "list": [[*base, "list", zone, "--format=json"]],
        "delete": [[*base, "delete", name, zone, "--quiet"] for name in names],
    }


def our_commands(slices: int) -> dict[str, list[Command]]:
    """What a user of tpuherd types for the same: several go in one command."""
    base, cloud = [sys.executable, "-m", "tpuherd"], "--cloud=emulator"
    names, zone = [f"slice-{number}" for number in range(slices)], f"--zone={ZONE}"
    return {
        "create": [[*base, "tpus.create", TYPE, zone, "--name=slice", f"--count={slices}", cloud]],
        "list": [[*base, "tpus", zone, "--json", cloud]],
        "delete": [[*base, "tpus.delete", *names, zone, "--yes", cloud]],
    }


def measured(
    who: str, phases: Mapping[str, Sequence[Command]], environment: Mapping[str, str]
) -> dict[str, dict[str, Any]]:
    """Run all phases: how many commands, their wall time, and the CPU time of all of them."""
    return {phase: _phase(f"{who}: {phase}", commands, environment) for phase, commands in phases.items()}


def _phase(title: str, commands: Sequence[Command], environment: Mapping[str, str]) -> dict[str, Any]:
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for done in [pool.submit(_run, command, environment) for command in commands]:
            done.result()
    after, wall_s = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - began
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    sys.stderr.write(f"{title}: {wall_s:.1f} s\n")
    return {"commands": len(commands), "cpu_s": round(cpu_s, 3), "wall_s": round(wall_s, 3)}


def _run(command: Command, environment: Mapping[str, str]) -> None:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=900)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.returncode}\n{done.stderr}")
