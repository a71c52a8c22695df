"""One case of `provision.py`, in a process of its own so that its memory is its own.

    python benchmarks/provision_case.py FOLDER SLICES ZONE...

FOLDER holds a running emulated cloud. Prints JSON: one object per phase.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from api_calls import CountedCalls

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd.model.cloud import Cloud

TYPE = "v5litepod-16"
TIMEOUT_S = 900.0


def quiet(_text: str) -> None:
    """Progress of 256 slices helps nobody here."""


def create(cloud: Cloud, slices: int, zones: list[str]) -> None:
    """As `tpuherd tpus.create --count N` does: ask for each, then wait for all until they are READY."""
    from tpuherd.fleet.crowd import make_all
    from tpuherd.fleet.naming import labels
    from tpuherd.fleet.new import NewTpu, order_new
    from tpuherd.fleet.together import require

    ours = labels("benchmark", "", time.time())
    orders = [
        order_new(cloud, NewTpu(name=f"tpu-{n}", zone=zones[n % len(zones)], accelerator=TYPE, labels=ours))
        for n in range(slices)
    ]
    require(make_all(cloud, orders, wait=True, timeout_s=TIMEOUT_S, note=quiet))


def list_all(cloud: Cloud, slices: int) -> None:
    """As `tpuherd tpus` does: all zones in one listing of nodes and one of queued resources."""
    from tpuherd.fleet.reading import read_fleet

    assert len(read_fleet(cloud).tpus) == slices


def list_zones(cloud: Cloud, slices: int, zones: list[str]) -> None:
    """As `tpuherd tpus --zone …` does: one pair of listings for each zone."""
    from tpuherd.fleet.reading import read_fleet

    assert len(read_fleet(cloud, zones).tpus) == slices


def delete(cloud: Cloud) -> None:
    """As `tpuherd tpus.delete NAME…` does: look again, delete, and wait until all are gone."""
    from tpuherd.fleet.crowd import remove_all
    from tpuherd.fleet.deleting import targets
    from tpuherd.fleet.reading import read_fleet
    from tpuherd.fleet.together import require

    fleet = read_fleet(cloud)
    wanted = targets(fleet.tpus, fleet.tpus)
    require(remove_all(cloud, wanted, wait=True, timeout_s=TIMEOUT_S, note=quiet))
    assert not read_fleet(cloud).tpus


def measured(calls: CountedCalls, work: Callable[[], None]) -> dict[str, Any]:
    """Run one phase: its calls, its time, and the memory that the process had at most until its end."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    spent = {"wall_s": time.perf_counter() - wall, "cpu_s": time.process_time() - cpu}
    by_method = calls.take()
    return {
        "api_calls": sum(by_method.values()),
        "by_method": by_method,
        **{name: round(value, 3) for name, value in spent.items()},
        "peak_memory_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
    }


def main() -> None:
    from tpuherd.cloud.client import hang_up
    from tpuherd_emulator.joining import to_cloud
    from tpuherd_emulator.lifecycle import status

    folder, slices, zones = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    info = status(folder).info
    assert info, f"no emulated cloud runs in {folder}"
    cloud, calls = to_cloud(info), CountedCalls()
    calls.install()
    phases = {
        "create": lambda: create(cloud, slices, zones),
        "list_all_zones": lambda: list_all(cloud, slices),
        "list_named_zones": lambda: list_zones(cloud, slices, zones),
        "delete": lambda: delete(cloud),
    }
    report = {}
    for name, work in phases.items():
        report[name] = measured(calls, work)
        sys.stderr.write(f"{slices} slices, {len(zones)} zones: {name} {report[name]['wall_s']} s\n")
    hang_up()
    sys.stdout.write(json.dumps(report))


if __name__ == "__main__":
    main()
