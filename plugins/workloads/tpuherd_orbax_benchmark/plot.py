"""A picture of the figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd_orbax_benchmark import labels
from tpuherd_orbax_benchmark.figures import Figures, figures
from tpuherd_orbax_benchmark.text import number, title

if TYPE_CHECKING:
    from pathlib import Path

    from tpuherd_orbax_benchmark.results import BenchmarkResults

_BLUE, _LIGHT, _ORANGE, _GREY = "#2b6cb0", "#a3c4e8", "#dd6b20", "#8a94a3"
_BAR = 0.38
"""Height of a bar; two of them stand at each benchmark."""
_WIDTH_IN = 12.0
_PANELS = ("Time [s]", "Throughput, all hosts [GiB/s]", "Peak host memory [GiB]")


def draw(results: BenchmarkResults, path: Path) -> None:
    """Write a picture with times, throughputs and memory of every benchmark.

    Args:
        results: What to show, see `figures.Figures` for what each number is.
        path: The file; its suffix decides the format, for example `.png`.
    """
    from matplotlib.figure import Figure

    found = [figures(benchmark) for benchmark in results.benchmarks]
    figure = Figure(figsize=(_WIDTH_IN, 2.1 + 0.62 * max(len(found), 2)), dpi=150, layout="constrained")
    times, rates, memory = figure.subplots(1, 3, sharey=True, width_ratios=(5, 5, 3))
    figure.suptitle(title(results), fontsize=9, color="#333333")
    _times(times, found)
    _rates(rates, found)
    _bars(memory, [one.peak_host_gib for one in found], 0.0, _GREY, "while saving and restoring")
    for axes, name in zip((times, rates, memory), _PANELS, strict=True):
        _finish(axes, name)
    _name_rows(times, results)
    figure.savefig(path, facecolor="white")


def _times(axes: Any, found: list[Figures]) -> None:
    _bars(axes, [one.save_total_s for one in found], -_BAR / 2, _LIGHT, "save until finished")
    axes.barh(
        [row - _BAR / 2 for row in range(len(found))],
        [one.save_blocking_s or 0.0 for one in found],
        _BAR,
        color=_BLUE,
        label="of that, blocking",
    )
    _bars(axes, [one.restore_s for one in found], _BAR / 2, _ORANGE, "restore")


def _rates(axes: Any, found: list[Figures]) -> None:
    _bars(axes, [one.save_gib_per_s for one in found], -_BAR / 2, _BLUE, "save until finished")
    _bars(axes, [one.restore_gib_per_s for one in found], _BAR / 2, _ORANGE, "restore")


def _bars(axes: Any, values: list[float | None], offset: float, color: str, label: str) -> None:
    rows = [row + offset for row in range(len(values))]
    bars = axes.barh(rows, [value or 0.0 for value in values], _BAR, color=color, label=label)
    axes.bar_label(bars, [number(value) for value in values], padding=3, fontsize=8, color="#333333")


def _finish(axes: Any, name: str) -> None:
    axes.set_xlabel(name, fontsize=9)
    axes.set_xlim(0, max(axes.get_xlim()[1] * 1.15, 1e-6))
    axes.tick_params(labelsize=8, length=0)
    axes.grid(axis="x", color="#e3e6ea", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.legend(
        loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=3, fontsize=8, frameon=False, handlelength=1.2
    )


def _name_rows(axes: Any, results: BenchmarkResults) -> None:
    names = labels.differing_options(results.benchmarks)
    rows = ["\n".join(_row(*labels.all_labels(one, names))) for one in results.benchmarks]
    axes.set_yticks(range(len(rows)), rows)
    axes.set_ylim(len(rows) - 0.4, -0.6)


def _row(benchmark: str, mesh: str, options: str) -> list[str]:
    return [f"{benchmark} · {mesh}", *([options] if options != "-" else [])]
