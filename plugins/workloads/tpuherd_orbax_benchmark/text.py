"""Small pieces of text that tables and plots share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from tpuherd_orbax_benchmark.results import BenchmarkResults


def title(results: BenchmarkResults) -> str:
    """Return one line on where the results come from."""
    run, topology, versions = results.run, results.topology, results.versions
    code = f" · {run.commit[:10]}{' (changed)' if run.dirty else ''}" if run.commit else ""
    plural = "" if topology.processes == 1 else "es"
    hardware = f"{topology.processes} process{plural} x {topology.local_devices} {topology.device_kind}"
    software = f"orbax {versions.get('orbax-checkpoint', '?')}, jax {versions.get('jax', '?')}"
    return (
        f"{run.job_id} attempt {run.attempt} · {run.accelerator} {run.zone} · {hardware} · {software}{code}"
    )


def number(value: float | None) -> str:
    """Return about three significant digits without an exponent; a dash for `None`."""
    if value is None:
        return "-"
    size = abs(value)
    digits = next(digits for bound, digits in ((100, 0), (10, 1), (1, 2), (0.1, 3), (0, 4)) if size >= bound)
    return f"{value:.{digits}f}"


def natural_width(table: Table) -> int:
    """Return how many characters a rich table takes if it has all the space it wants."""
    from rich.console import Console

    return Console(width=10_000).measure(table).maximum


def shrink(widths: list[int], floors: list[int], excess: int) -> list[int] | None:
    """Take `excess` characters away, each from the column with most to spare; `None` if none has."""
    shrunk = list(widths)
    for _ in range(excess):
        spare = [width - floor for width, floor in zip(shrunk, floors, strict=True)]
        if max(spare) <= 0:
            return None
        shrunk[spare.index(max(spare))] -= 1
    return shrunk


def draw(table: Table, width: int) -> str:
    """Return a rich table as plain text without trailing blanks."""
    from rich.console import Console

    console = Console(width=width, no_color=True, highlight=False, emoji=False)
    with console.capture() as captured:
        console.print(table)
    return "\n".join(line.rstrip() for line in captured.get().splitlines()).strip("\n")
