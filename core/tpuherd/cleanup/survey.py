"""Looking at everything of a project, and saying what of ours may go."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd.cleanup.jobs import know
from tpuherd.cleanup.verdict import Fate, Verdict, is_foreign, judge
from tpuherd.fleet.reading import read_fleet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tpuherd.fleet.reading import Fleet
    from tpuherd.fleet.tpu import Kind, Tpu
    from tpuherd.model.cloud import Cloud
    from tpuherd.store.store import Store

Key = tuple["Kind", str, str]
"""What is one resource: a queued resource and somebody's node may have the same name in the same zone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A resource of ours and what is to be done about it."""

    tpu: Tpu
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What a look at the whole project gave."""

    findings: tuple[Finding, ...]
    foreign: int
    """How many resources are not ours."""
    unreachable: tuple[str, ...]
    """Places that did not answer: what they hold is unknown."""
    fleet: Fleet

    @property
    def going(self) -> list[Tpu]:
        """What may go."""
        return [one.tpu for one in self.findings if one.verdict.fate is Fate.GOES]


def survey(cloud: Cloud, store: Store, zones: Sequence[str] = ()) -> Survey:
    """Read the project, then the store, and judge.

    Args:
        cloud: which API, and which project.
        store: of the user who asks.
        zones: only these; empty: all.

    Raises:
        ProvisionError: the API did not answer.
        StateError: the store cannot be read.
    """
    fleet = read_fleet(cloud, zones)
    known = know(store, [tpu.job for tpu in fleet.tpus if tpu.job])
    silent, now = silent_zones(fleet), time.time()
    ours = [tpu for tpu in fleet.tpus if not is_foreign(tpu, known)]
    verdicts = {key(tpu): judge(tpu, known, silent, now) for tpu in ours}
    return Survey(
        findings=tuple(Finding(tpu=tpu, verdict=_together(tpu, verdicts, fleet)) for tpu in ours),
        foreign=len(fleet.tpus) - len(ours),
        unreachable=fleet.unreachable,
        fleet=fleet,
    )


def key(tpu: Tpu) -> Key:
    """What tells a row of the fleet from all others."""
    return tpu.kind, tpu.name, tpu.zone


def silent_zones(fleet: Fleet) -> frozenset[str]:
    """The zones of the places that did not answer; each may be followed by the reason."""
    return frozenset(place.partition(" ")[0] for place in fleet.unreachable)


def _together(tpu: Tpu, verdicts: Mapping[Key, Verdict], fleet: Fleet) -> Verdict:
    """Nodes of one queued resource go together or not at all: it is what gets deleted."""
    own, queue = verdicts[key(tpu)], (tpu.zone, tpu.queued_resource)
    siblings = [row for row in fleet.tpus if tpu.queued_resource and (row.zone, row.queued_resource) == queue]
    foreign = next((row for row in siblings if key(row) not in verdicts), None)
    if foreign is not None:
        return Verdict(fate=Fate.STAYS, reason=f"{foreign.place} of the same queued resource is not yours")
    others = (verdicts[key(row)] for row in siblings)
    return own if own.fate is not Fate.GOES else next((v for v in others if v.fate is not Fate.GOES), own)
