"""Short names that tell the benchmarks of one run apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tpuherd_orbax_benchmark.results import Benchmark


def differing_options(benchmarks: tuple[Benchmark, ...]) -> tuple[str, ...]:
    """Return the names of the options that are not the same in all benchmarks that have them."""
    names = dict.fromkeys(name for benchmark in benchmarks for name in benchmark.options)
    return tuple(
        name for name in names if len({repr(b.options[name]) for b in benchmarks if name in b.options}) > 1
    )


def options_label(options: dict[str, Any], names: tuple[str, ...]) -> str:
    """Return those options in a short form, `use_zarr3=on, chunk_byte_size=1024`, or a dash."""
    return ", ".join(_option(name, options[name]) for name in names if name in options) or "-"


def mesh_label(benchmark: Benchmark) -> str:
    """Return the short name of the mesh; a dash if there is none."""
    return benchmark.mesh.label if benchmark.mesh else "-"


def benchmark_label(benchmark: Benchmark) -> str:
    """Return the kind of benchmark, with the name of the checkpoint if it was not generated."""
    module, _, name = benchmark.generator.rpartition(".")
    version = ["v1"] if "v1" in module.split(".") else []
    kind = " ".join([*version, name.removesuffix("Benchmark") or name])
    checkpoint = str(benchmark.checkpoint.get("path") or "").rstrip("/").rsplit("/", 1)[-1]
    return f"{kind} · {checkpoint}" if checkpoint else kind


def _option(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return f"{name}={'on' if value else 'off'}"
    return f"{name}={value}"


def all_labels(benchmark: Benchmark, names: tuple[str, ...]) -> tuple[str, str, str]:
    """Return the labels of benchmark, mesh, and those options."""
    return benchmark_label(benchmark), mesh_label(benchmark), options_label(benchmark.options, names)
