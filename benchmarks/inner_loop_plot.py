"""The plot of a report: seconds over workers, for each kind of work; all axes are logarithmic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

TITLES = {
    "noop": "a command that does nothing",
    "edit_to_line": "edit until the first log line",
    "sync_edit": "sending a change of one file",
    "sync_first": "sending all files",
}
STYLES = {"tpuherd": "tab:blue", "gcloud": "tab:orange", "git": "tab:green", "rsync": "tab:red"}
LINES = {"warm": "-", "cold": "--", "": "-."}


def plot(report: dict[str, Any], path: Path) -> None:
    """Draw one picture of the kinds of work that were measured."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    works = [work for work in TITLES if any(row["work"] == work for row in report["measured"])]
    if not works:
        return
    figure, axes = plt.subplots(
        1, len(works), figsize=(4.2 * len(works), 4.2), squeeze=False, layout="constrained"
    )
    for axis, work in zip(axes[0], works, strict=True):
        _one(axis, [row for row in report["measured"] if row["work"] == work])
        axis.set_title(TITLES[work])
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _one(axis: Any, rows: list[dict[str, Any]]) -> None:
    """One kind of work: a line for everybody who did it, with the range from p10 to p90."""
    from matplotlib.ticker import LogLocator

    sizes = sorted({row["workers"] for row in rows})
    for who, connections in dict.fromkeys((row["who"], row["connections"]) for row in rows):
        found = [row for row in rows if (row["who"], row["connections"]) == (who, connections)]
        found.sort(key=lambda row: row["workers"])
        places = [row["workers"] for row in found]
        style = {"color": STYLES[who], "linestyle": LINES[connections]}
        label = f"{who}, {connections}" if connections else who
        axis.plot(places, [row["wall_s"]["median"] for row in found], marker=".", label=label, **style)
        low, high = ([row["wall_s"][name] for row in found] for name in ("p10", "p90"))
        axis.fill_between(places, low, high, color=style["color"], alpha=0.12)
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.yaxis.set_minor_locator(LogLocator(subs=(2, 5)))
    axis.yaxis.set_major_formatter("{x:g}")
    axis.yaxis.set_minor_formatter("{x:g}")
    axis.set_xticks(sizes, [str(size) for size in sizes])
    axis.set_xlabel("workers")
    axis.set_ylabel("s")
    axis.grid(visible=True, which="both", alpha=0.25)
    axis.legend(fontsize="small")
