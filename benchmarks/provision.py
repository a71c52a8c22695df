"""What it costs to create, list and delete many slices: API calls, time, memory; and gcloud for comparison.

Everything happens on an emulated cloud of its own, whose workers are addresses only: 256 slices of type
v5litepod-16 have 1,024 of them. Ratios come first in the JSON on standard output; progress goes to standard
error. Where gcloud is not installed, its part is left out, and the report says so.

    python benchmarks/provision.py [--quick]
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from provision_commands import gcloud_commands, gcloud_environment, measured, our_commands

from tpuherd_emulator import lifecycle
from tpuherd_emulator.options import EmulatorOptions

if TYPE_CHECKING:
    from tpuherd_emulator.info import CloudInfo

ZONES = (
    "us-west4-a", "us-west4-b", "us-west1-c", "us-central1-a", "us-east1-c", "us-east5-a", "europe-west4-a",
    "europe-west4-b",
)  # fmt: skip
CASES = ((64, 1), (64, 8), (256, 1), (256, 8))
"""Slices and zones."""
QUICK_CASES = ((4, 1), (4, 2), (8, 1), (8, 2))
COMPARED, QUICK_COMPARED = 16, 2
"""Slices that gcloud and tpuherd both make, list and delete with their commands."""


def case(folder: Path, slices: int, zones: int) -> dict[str, Any]:
    """One case of tpuherd in a process of its own."""
    script = Path(__file__).with_name("provision_case.py")
    argv = [sys.executable, str(script), str(folder), str(slices), *ZONES[:zones]]
    done = subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True)
    return {"slices": slices, "zones": zones, "phases": json.loads(done.stdout)}


def compared(info: CloudInfo, home: Path, slices: int) -> dict[str, Any]:
    """The same work by the commands of both, and how many times more gcloud takes."""
    ours = measured("tpuherd", our_commands(slices), os.environ | {"TPUHERD_HOME": str(home)})
    if shutil.which("gcloud") is None:
        return {"slices": slices, "tpuherd": ours, "gcloud": "left out: it is not installed"}
    environment = gcloud_environment(info.rest_url, info.project, home / "gcloud")
    theirs = measured("gcloud", gcloud_commands(slices), environment)
    ratios = {
        phase: {kind: round(theirs[phase][kind] / ours[phase][kind], 2) for kind in ("cpu_s", "wall_s")}
        for phase in ours
    }
    return {"ratios": ratios, "slices": slices, "tpuherd": ours, "gcloud": theirs}


def summary(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """API calls of each case: listings as they are, the others for each slice."""
    return [
        {
            "slices": one["slices"],
            "zones": one["zones"],
            "calls_to_list_all_zones": one["phases"]["list_all_zones"]["api_calls"],
            "calls_to_list_named_zones": one["phases"]["list_named_zones"]["api_calls"],
            "calls_per_created_slice": round(one["phases"]["create"]["api_calls"] / one["slices"], 2),
            "calls_per_deleted_slice": round(one["phases"]["delete"]["api_calls"] / one["slices"], 2),
        }
        for one in cases
    ]


def measure(home: Path, *, quick: bool) -> dict[str, Any]:
    """All cases on one emulated cloud, which commands find in this home."""
    folder = home / "emulator"
    info = lifecycle.up(folder, EmulatorOptions(workers="none"))
    try:
        commands = compared(info, home, QUICK_COMPARED if quick else COMPARED)
        cases = [case(folder, *one) for one in (QUICK_CASES if quick else CASES)]
    finally:
        lifecycle.down(folder)
    return {
        "gcloud_over_tpuherd": commands.pop("ratios", None),
        "api_calls": summary(cases),
        "cases": cases,
        "commands": commands,
        "load": os.getloadavg()[0],
    }


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        report = measure(Path(folder), quick="--quick" in sys.argv[1:])
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
