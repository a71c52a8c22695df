"""What recovery may take at most, what it took others, and which targets a report reaches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

REACHED, MISSED, UNKNOWN = "reached", "missed", "not measured"
COLUMNS = "{state:<12}  {what:<66}  {limit:>6}  {median:>7}  {worst:>7}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """The most seconds that the worst of all faults of a kind may take."""

    what: str
    kind: str
    time: str
    """A key of `recovery_faults.Sample`."""
    limit_s: float

    def judged(self, report: dict[str, Any]) -> dict[str, Any]:
        """With the figures of a report."""
        found = report["measured"].get(self.kind, {}).get(self.time)
        worst = found["max"] if found else None
        state = UNKNOWN if worst is None else REACHED if worst <= self.limit_s else MISSED
        figures = {"median": found["median"] if found else None, "worst": worst}
        return {"what": self.what, "limit": self.limit_s, **figures, "state": state}


TARGETS = (
    Target(what="notice until SIGTERM at every process", kind="notice", time="acted_s", limit_s=2),
    Target(what="loss without notice until it is known", kind="lost", time="noticed_s", limit_s=5),
    Target(what="preemption without notice until it is known", kind="preempted", time="noticed_s", limit_s=5),
    Target(what="silence of a worker until it is known", kind="silence", time="noticed_s", limit_s=10),
    Target(what="death of one process until all have ended", kind="process", time="acted_s", limit_s=2),
    Target(what="notice until the work runs again", kind="notice", time="again_s", limit_s=10),
    Target(what="preemption until the work runs again", kind="preempted", time="again_s", limit_s=10),
    Target(what="loss without notice until the work runs again", kind="lost", time="again_s", limit_s=10),
    Target(what="own share, after a notice", kind="notice", time="own_s", limit_s=3),
    Target(what="own share, after a preemption is known", kind="preempted", time="own_s", limit_s=3),
    Target(what="own share, after a loss is known", kind="lost", time="own_s", limit_s=3),
    Target(what="own share, after silence is known", kind="silence", time="own_s", limit_s=3),
    Target(what="own share, after the death of a process", kind="process", time="own_s", limit_s=3),
)

PEERS_AGAIN_S = {"tpu-vm": {"jobman": 80.8}, "queued-resources": {"jobman": 81.4}}
"""By how slices are got: seconds from a preemption until the command runs again on 4 workers. Medians of the
unmodified programs, on an emulated cloud whose slices are ready at once and whose lost hosts refuse
connections. activation-extract had READY nodes after 66 s and never began its work again; Orbax's scripts do
not recover."""


def ratios(measured: dict[str, Any], mode: str) -> dict[str, dict[str, float]]:
    """How many times our median each peer takes until work whose slice was taken runs again."""
    taken = ("preempted", "lost", "notice")
    found = {kind: measured[kind]["again_s"]["median"] for kind in taken if kind in measured}
    return {
        kind: {peer: round(peer_s / ours_s, 1) for peer, peer_s in PEERS_AGAIN_S[mode].items()}
        for kind, ours_s in found.items()
    }


def judged(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Each target with its figures and whether it is reached."""
    return [target.judged(report) for target in TARGETS]


def table(rows: list[dict[str, Any]]) -> str:
    """For people: one line for each target."""
    head = COLUMNS.format(state="", what="target, in seconds", limit="limit", median="median", worst="worst")
    shown = [{**row, "median": _shown(row["median"]), "worst": _shown(row["worst"])} for row in rows]
    return "\n".join([head, *(COLUMNS.format(**row) for row in shown)])


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
