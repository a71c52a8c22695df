"""What a comparison of two runs found."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from textwrap import wrap
from typing import TYPE_CHECKING

from tpuherd.errors import ConfigError
from tpuherd_orbax_benchmark.text import draw, number

if TYPE_CHECKING:
    from tpuherd_orbax_benchmark.results import Run, Topology

SCHEMA = "tpuherd.orbax_comparison/1"
HIGHER_IS_WORSE = {"s": True, "GiB": True, "GiB/s": False}
"""By unit; metrics of other units have no direction and cannot be compared."""
_SAME = 1.005
"""Below this, the table calls it the same: it would print as x1.00."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """What was compared, in short names."""

    benchmark: str
    mesh: str
    options: str
    """Those that differ within the run."""
    operation: str
    metric: str
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One metric in both runs: per repeat that of the worst host, then the median over the repeats."""

    key: Key
    before: float
    after: float

    @property
    def ratio(self) -> float:
        """`after` over `before`."""
        return self.after / self.before

    @property
    def worsening(self) -> float:
        """How many times worse it became: above 1 for longer times, more memory, or less throughput."""
        return self.ratio if HIGHER_IS_WORSE[self.key.unit] else 1 / self.ratio


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two runs on the same topology, metric by metric."""

    before: Run
    after: Run
    topology: Topology
    pairs: tuple[Pair, ...]
    """At least one."""
    unpaired: tuple[str, ...]
    """What could not be compared and why, one sentence each."""

    @property
    def worst(self) -> Pair:
        """The pair that worsened most."""
        return max(self.pairs, key=lambda pair: pair.worsening)

    def beyond(self, threshold: float) -> tuple[Pair, ...]:
        """Return the pairs that became more than `threshold` times worse, the worst first.

        Raises:
            ConfigError: The threshold is below 1: also what did not change would be beyond it.
        """
        if not threshold >= 1:
            raise ConfigError(
                f"threshold {threshold}: give how many times worse is still fine, 1 or more, such as 1.1"
            )
        return tuple(pair for pair in self._sorted() if pair.worsening > threshold)

    def to_json(self) -> str:
        """Return the comparison as a JSON document, with `ratio` and `worsening` of every pair."""
        pairs = [
            {**asdict(pair), "ratio": pair.ratio, "worsening": pair.worsening} for pair in self._sorted()
        ]
        return json.dumps({"schema": SCHEMA, **asdict(self), "pairs": pairs}, indent=1, allow_nan=False)

    def render(self, width: int = 120) -> str:
        """Return the comparison as a table, the worst first, with what could not be compared below it."""
        from rich import box
        from rich.table import Table

        table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), collapse_padding=True, pad_edge=False)
        for name in ("benchmark", "mesh", "options", "metric"):
            table.add_column(name, overflow="fold")
        for name in ("before", "after", "change"):
            table.add_column(name, justify="right", no_wrap=True)
        for pair in self._sorted():
            table.add_row(*_row(pair))
        title = f"{self.before.job_id} → {self.after.job_id} on {self.after.accelerator}"
        notes = [
            line for note in self.unpaired for line in wrap(f"note: {note}", width, subsequent_indent="  ")
        ]
        return "\n".join([title, "", draw(table, width), "", *notes]).rstrip() + "\n"

    def _sorted(self) -> list[Pair]:
        return sorted(self.pairs, key=lambda pair: -pair.worsening)


def _row(pair: Pair) -> tuple[str, ...]:
    from rich.markup import escape

    key = pair.key
    metric = f"{key.operation} {key.metric.partition('/')[2]}"
    numbers = (
        f"{number(pair.before)} {key.unit}",
        f"{number(pair.after)} {key.unit}",
        _change(pair.worsening),
    )
    return (escape(key.benchmark), escape(key.mesh), escape(key.options), escape(metric), *numbers)


def _change(worsening: float) -> str:
    if 1 / _SAME < worsening < _SAME:
        return "same"
    return f"x{worsening:.2f} worse" if worsening > 1 else f"x{1 / worsening:.2f} better"
