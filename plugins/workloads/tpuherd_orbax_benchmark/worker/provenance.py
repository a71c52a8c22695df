"""What each process leaves behind about itself, as `provenance/process_<i>.json`."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import platform
import resource
import socket
import time
from importlib import metadata
from typing import TYPE_CHECKING

from .storage import path_of

if TYPE_CHECKING:
    from pathlib import Path

    from .catalogue import Catalogue
    from .topology import Topology

SCHEMA = 1
DISTRIBUTIONS = ("jax", "jaxlib", "libtpu", "orbax-checkpoint", "tensorstore")
VARIABLES = ("XLA_FLAGS", "LIBTPU_INIT_ARGS", "JAX_PLATFORMS")


@dataclasses.dataclass(frozen=True)
class Config:
    """The benchmark config as it was read."""

    path: str
    sha256: str
    text: str


def read_config(location: str) -> Config:
    """Read a config; `OSError` if that fails."""
    data = path_of(location).read_bytes()
    return Config(path=location, sha256=hashlib.sha256(data).hexdigest(), text=data.decode())


def versions() -> dict[str, str]:
    """Return the versions of Python and of the distributions that matter; missing ones are left out."""
    found = {"python": platform.python_version()}
    for name in DISTRIBUTIONS:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def write(
    directory: str,
    *,
    topology: Topology,
    catalogue: Catalogue,
    config: Config,
    started_at: float,
    exit_code: int,
) -> Path:
    """Write this process's file.

    Args:
        directory: The output directory of the run.
        topology: What JAX found.
        catalogue: The benchmarks that were generated.
        config: The benchmark config.
        started_at: When the process started, by `time.monotonic()`.
        exit_code: With which the process is about to end.

    Returns:
        The path of the file.
    """
    usage = resource.getrusage(resource.RUSAGE_SELF)
    peaks = [peak for entry in catalogue.entries for peak in entry.peak_rss_bytes]
    record = {
        "schema": SCHEMA,
        "topology": dataclasses.asdict(topology),
        "hostname": socket.gethostname(),
        "peak_rss_bytes": max(usage.ru_maxrss * 1024, *peaks, 0),
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "wall_s": time.monotonic() - started_at,
        "versions": versions(),
        "variables": {name: os.environ[name] for name in VARIABLES if name in os.environ},
        "config": dataclasses.asdict(config),
        "exit_code": exit_code,
        "peaks_reset": catalogue.peaks_reset,
        "benchmarks": [dataclasses.asdict(entry) for entry in catalogue.entries],
    }
    path = path_of(directory) / "provenance" / f"process_{topology.process_index}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, default=str, indent=1))
    return path
