"""A table of the figures, for people."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from tpuherd_orbax_benchmark import labels
from tpuherd_orbax_benchmark.figures import figures
from tpuherd_orbax_benchmark.text import draw, natural_width, number, shrink, title

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table

    from tpuherd_orbax_benchmark.results import Benchmark, BenchmarkResults

WIDTH = 120
_TEXTS = {"benchmark": 16, "mesh": 12, "options": 17}
"""Columns of text, and the width down to which each may be folded."""
_NUMBERS = (
    "save s\nblocking",
    "save s\ntotal",
    "restore\ns",
    "save GiB/s\nhost | all",
    "restore GiB/s\nhost | all",
    "host peak\nGiB",
)


def render(results: BenchmarkResults, width: int = WIDTH) -> str:
    """Return the table as text, with a title before and the failures and warnings after it.

    Args:
        results: What to show, see `figures.Figures` for what each number is.
        width: Characters per line; if the table needs more, there is a paragraph per benchmark instead.
    """
    table = _table(results, width)
    body = draw(table, width) if table else "\n".join(_paragraphs(results))
    notes = [line for note in _notes(results) for line in wrap(note, width, subsequent_indent="  ")]
    return "\n".join([*wrap(title(results), width), "", body, "", *notes]).rstrip() + "\n"


def _table(results: BenchmarkResults, width: int) -> Table | None:
    """Return the table with its columns of text folded until it fits; `None` if it cannot."""
    names = labels.differing_options(results.benchmarks)
    texts = [labels.all_labels(benchmark, names) for benchmark in results.benchmarks]
    natural = [max(map(len, column)) for column in zip(tuple(_TEXTS), *texts, strict=True)]
    cells = [_cells(benchmark) for benchmark in results.benchmarks]
    excess = natural_width(_drawn(texts, cells, natural)) - width
    folded = shrink(natural, list(_TEXTS.values()), excess)
    return _drawn(texts, cells, folded) if folded else None


def _drawn(texts: list[tuple[str, str, str]], cells: list[tuple[str, ...]], widths: list[int]) -> Table:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), collapse_padding=True, pad_edge=False)
    for name, width in zip(_TEXTS, widths, strict=True):
        table.add_column(name, overflow="fold", width=width)
    for name in _NUMBERS:
        table.add_column(name, justify="right", no_wrap=True)
    for words, numbers in zip(texts, cells, strict=True):
        table.add_row(*(escape(word) for word in words), *numbers)
    return table


def _cells(benchmark: Benchmark) -> tuple[str, ...]:
    found = figures(benchmark)
    return (
        number(found.save_blocking_s),
        number(found.save_total_s),
        number(found.restore_s),
        f"{number(found.save_gib_per_s_host)} | {number(found.save_gib_per_s)}",
        f"{number(found.restore_gib_per_s_host)} | {number(found.restore_gib_per_s)}",
        number(found.peak_host_gib),
    )


def _paragraphs(results: BenchmarkResults) -> Iterator[str]:
    names = labels.differing_options(results.benchmarks)
    for benchmark in results.benchmarks:
        yield ", ".join(labels.all_labels(benchmark, names))
        for name, cell in zip(_NUMBERS, _cells(benchmark), strict=True):
            yield f"  {name.replace(chr(10), ' '):<26}{cell:>18}"


def _notes(results: BenchmarkResults) -> Iterator[str]:
    for process in results.processes:
        if process.exit_code != 0:
            yield f"failed: process {process.index} on {process.hostname}: exit code {process.exit_code}"
    for benchmark in results.benchmarks:
        for failure in benchmark.failures:
            yield f"failed: {benchmark.name}, host {failure.host}, repeat {failure.repeat}: {failure.text}"
    yield from (f"note: {warning}" for warning in results.warnings)
