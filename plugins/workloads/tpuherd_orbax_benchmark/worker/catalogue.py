"""What the harness runs under which name, taken down while it makes up the names.

The harness names a benchmark by a hash of its options, mesh and checkpoint config. The hash covers neither
the ICI/DCN split of the mesh nor the order of its devices, so that two mesh configs can get one name; their
results then follow one another under it. The order of the runs tells them apart: `first_step` is where a
benchmark's results begin.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from functools import wraps
from typing import TYPE_CHECKING, Any

from . import memory

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclasses.dataclass
class Mesh:
    """A mesh as configured, with the sizes that came out."""

    axes: dict[str, int]
    ici: dict[str, int]
    dcn: dict[str, int] | None


@dataclasses.dataclass
class Entry:
    """One benchmark of the suite: a point of the sweep."""

    name: str
    """As the harness names it; not unique."""
    generator: str
    """Import path of the class."""
    options: dict[str, Any]
    mesh: Mesh | None
    checkpoint: dict[str, Any]
    repeats: int
    first_step: int
    """The number of the first repeat under this name in TensorBoard."""
    peak_rss_bytes: list[int] = dataclasses.field(default_factory=list)
    """Per repeat, while saving and restoring: without the data's generation."""


@dataclasses.dataclass
class Catalogue:
    """All benchmarks, in the order in which they run."""

    repeats: int
    entries: list[Entry] = dataclasses.field(default_factory=list)
    peaks_reset: bool = True
    """False: a peak is the highest since the process started, not since its benchmark started."""

    def add(self, generator: str, benchmarks: Sequence[Any], meshes: Sequence[tuple[Any, Any]]) -> None:
        """Take down what one generator made, from these `(MeshConfig, Mesh)` pairs in this order."""
        turn: Counter[str] = Counter()
        names = Counter(entry.name for entry in self.entries)
        for benchmark in benchmarks:
            point = f"{benchmark.options!r} {benchmark.checkpoint_config!r}"
            mesh = _mesh(*meshes[turn[point] % len(meshes)]) if benchmark.mesh is not None else None
            entry = self._entry(generator, benchmark, mesh, earlier=names[benchmark.name])
            benchmark.test_fn = self._watched(benchmark.test_fn, entry)
            self.entries.append(entry)
            turn[point] += 1
            names[benchmark.name] += 1

    def _entry(self, generator: str, benchmark: Any, mesh: Mesh | None, *, earlier: int) -> Entry:
        return Entry(
            name=benchmark.name,
            generator=generator,
            options=dataclasses.asdict(benchmark.options),
            mesh=mesh,
            checkpoint=dataclasses.asdict(benchmark.checkpoint_config),
            repeats=self.repeats,
            first_step=earlier * self.repeats,
        )

    def _watched(self, test: Callable[[Any], Any], entry: Entry) -> Callable[[Any], Any]:
        @wraps(test)
        def watched(context: Any) -> Any:
            self.peaks_reset &= memory.reset_peak()
            try:
                return test(context)
            finally:
                entry.peak_rss_bytes.append(memory.peak_bytes())

        return watched


def _mesh(config: Any, mesh: Any) -> Mesh:
    axes = {axis: int(size) for axis, size in mesh.shape.items()}
    return Mesh(
        axes=axes,
        ici=dict(config.ici_parallelism),
        dcn=config.dcn_parallelism and dict(config.dcn_parallelism),
    )


def install(catalogue: Catalogue, before: Callable[[], object]) -> None:
    """Listen to the harness's `BenchmarksGenerator.generate`, called once before its benchmarks run.

    Args:
        catalogue: Where to write down what is generated.
        before: Called before each generator; the last chance to stop before anything is written.

    Raises:
        ImportError: The harness, or a package that it needs, is missing.
        AttributeError: This version of the harness is built otherwise.
    """
    from orbax.checkpoint._src.testing.benchmarks.core import core, device_mesh

    generate, create_mesh = core.BenchmarksGenerator.generate, device_mesh.create_mesh
    meshes: list[tuple[Any, Any]] = []

    @wraps(create_mesh)
    def create_noted_mesh(config: Any) -> Any:
        mesh = create_mesh(config)
        meshes.append((config, mesh))
        return mesh

    @wraps(generate)
    def generate_and_note(self: Any, *args: Any, **kwargs: Any) -> Any:
        before()
        meshes.clear()
        benchmarks = generate(self, *args, **kwargs)
        catalogue.add(f"{type(self).__module__}.{type(self).__qualname__}", benchmarks, list(meshes))
        return benchmarks

    device_mesh.create_mesh = create_noted_mesh
    core.BenchmarksGenerator.generate = generate_and_note
