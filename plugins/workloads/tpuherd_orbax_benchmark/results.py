"""The results of one benchmark run: what was measured, and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The job that the results come from, as the controller knows it."""

    job_id: str
    attempt: int
    accelerator: str
    zone: str
    commit: str = ""
    """The git commit of the code on the workers; empty: no code was sent, or it is under no version
    control."""
    dirty: bool = False
    """True if the code differed from that commit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topology:
    """What JAX found on the workers; results of different topologies cannot be compared."""

    processes: int
    devices: int
    """Of all processes together."""
    local_devices: int
    device_kind: str
    platform: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The benchmark config as it was run."""

    path: str
    """Its path on the worker."""
    sha256: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """One JAX process of the run."""

    index: int
    hostname: str
    peak_rss_bytes: int
    """Over its whole life, with imports and the generation of the data."""
    cpu_s: float
    wall_s: float
    exit_code: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Mesh:
    """A mesh: the size of every axis, and how it is split."""

    axes: dict[str, int]
    ici: dict[str, int]
    """Within a slice, as configured."""
    dcn: dict[str, int] | None = None
    """Across slices, as configured; `None`: the config does not say."""

    @property
    def label(self) -> str:
        """A short name of the axes larger than 1, those across slices in front: `dcn:data2 fsdp4`."""
        across = [f"dcn:{axis}{size}" for axis, size in (self.dcn or {}).items() if size > 1]
        within = {axis: size // (self.dcn or {}).get(axis, 1) for axis, size in self.axes.items()}
        return " ".join([*across, *(f"{axis}{size}" for axis, size in within.items() if size > 1)]) or "1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One metric of one operation on one host, with a value per repeat."""

    operation: str
    """The block that was measured: `save`, `wait_until_finished`, `restore`, …; `all` for the whole
    repeat."""
    metric: str
    """As the harness names it, for example `0_basics/time_s`."""
    unit: str
    """`s`, `GiB/s`, `GiB`, `MiB`, `bytes`, `count`, `ratio`, `ms since the epoch`; empty if not known."""
    host: int
    """The process index."""
    values: tuple[float | None, ...]
    """`None` where the repeat failed or reported nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A repeat that failed on a host."""

    host: int
    repeat: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """One point of the sweep: a generator with its options, a mesh and a checkpoint."""

    name: str
    """As the harness names it, with a hash; two meshes can have one name, see `BenchmarkResults.warnings`."""
    generator: str
    """Import path of its class."""
    options: dict[str, Any]
    mesh: Mesh | None
    checkpoint: dict[str, Any]
    repeats: int
    series: tuple[Series, ...]
    failures: tuple[Failure, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """One number, with all that is needed to read it alone."""

    benchmark: str
    options: dict[str, Any]
    mesh: Mesh | None
    topology: Topology
    operation: str
    metric: str
    host: int
    repeat: int
    value: float
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkResults:
    """All results of one run."""

    run: Run
    topology: Topology
    config: Config
    versions: dict[str, str]
    """Distribution name to version on the first worker, with `python`."""
    variables: dict[str, str]
    """Those of `XLA_FLAGS`, `LIBTPU_INIT_ARGS` and `JAX_PLATFORMS` that were set."""
    processes: tuple[Process, ...]
    benchmarks: tuple[Benchmark, ...]
    warnings: tuple[str, ...] = ()
    """What was odd but no reason to throw the rest away."""

    @property
    def measurements(self) -> Iterator[Measurement]:
        """Every number, in the order of benchmarks, series and repeats; failed repeats are left out."""
        for benchmark in self.benchmarks:
            for series in benchmark.series:
                yield from _measurements(self.topology, benchmark, series)


def _measurements(topology: Topology, benchmark: Benchmark, series: Series) -> Iterator[Measurement]:
    for repeat, value in enumerate(series.values):
        if value is not None:
            yield Measurement(
                benchmark=benchmark.name,
                options=benchmark.options,
                mesh=benchmark.mesh,
                topology=topology,
                operation=series.operation,
                metric=series.metric,
                host=series.host,
                repeat=repeat,
                value=value,
                unit=series.unit,
            )
