"""The targets, and which of them a report reaches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

REACHED, MISSED, UNKNOWN = "reached", "missed", "not measured"
COLUMNS = "{state:<12}  {what:<58}  {limit:>9}  {found:>9}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """A limit for the median of one series, or for how many times as long gcloud takes."""

    what: str
    work: str
    limit: float
    workers: int = 0
    connections: str = ""
    times_gcloud: bool = False
    """The limit is the least ratio; otherwise it is the most seconds."""

    def found(self, report: dict[str, Any]) -> float | None:
        """The figure of a report."""
        rows = report["ratios" if self.times_gcloud else "measured"]
        who = "gcloud" if self.times_gcloud else "tpuherd"
        wanted = (self.work, who, self.workers, self.connections)
        names = ("work", "who", "workers", "connections")
        row = next((row for row in rows if tuple(row[name] for name in names) == wanted), None)
        if row is None:
            return None
        value: float | None = row["wall"] if self.times_gcloud else row["wall_s"]["median"]
        return value

    def state(self, value: float | None) -> str:
        """Whether a figure reaches it."""
        if value is None:
            return UNKNOWN
        good = value >= self.limit if self.times_gcloud else value <= self.limit
        return REACHED if good else MISSED


TARGETS = (
    Target(what="no-op on 64 workers, warm, s", work="noop", limit=0.35, workers=64, connections="warm"),
    Target(what="no-op on 64 workers, cold, s", work="noop", limit=1.2, workers=64, connections="cold"),
    Target(
        what="no-op on 64 workers, warm: times as fast as gcloud",
        work="noop", limit=10, workers=64, connections="warm", times_gcloud=True,
    ),
    Target(
        what="no-op on 64 workers, cold: times as fast as gcloud",
        work="noop", limit=3, workers=64, connections="cold", times_gcloud=True,
    ),
    Target(
        what="code sync of one file to 32 workers, s",
        work="sync_edit", limit=0.25, workers=32, connections="warm",
    ),
    Target(
        what="edit until first log line, 16 workers, s",
        work="edit_to_line", limit=0.5, workers=16, connections="warm",
    ),
    Target(
        what="edit until first log line, 32 workers, s",
        work="edit_to_line", limit=1.0, workers=32, connections="warm",
    ),
    Target(
        what="create until command on 16 workers, beyond the cloud, s",
        work="create_to_command", limit=2.0, workers=16,
    ),
    Target(what="status of a job, 8 jobs in 5 zones, s", work="status", limit=0.5),
    Target(what="list of 8 jobs in 5 zones, s", work="list", limit=0.5),
    Target(what="tpuherd --help, s", work="help", limit=0.25),
)  # fmt: skip


def judged(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Each target with its figure and whether it is reached."""
    found = [(target, target.found(report)) for target in TARGETS]
    return [
        {"what": target.what, "limit": target.limit, "found": value, "state": target.state(value)}
        for target, value in found
    ]


def table(rows: list[dict[str, Any]]) -> str:
    """For people: one line for each target."""
    head = COLUMNS.format(state="", what="target", limit="limit", found="found")
    lines = [COLUMNS.format(**{**row, "found": _shown(row["found"])}) for row in rows]
    return "\n".join([head, *lines])


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"
