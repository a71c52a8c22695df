"""Deleting what a survey found: everything is looked at again right before, and nothing else is touched."""

from __future__ import annotations

import time
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from tpuherd.cleanup.giving_back import give_back
from tpuherd.cleanup.jobs import know
from tpuherd.cleanup.survey import key
from tpuherd.cleanup.verdict import Fate, is_foreign, judge
from tpuherd.cloud.client import TpuApi
from tpuherd.errors import TpuherdError
from tpuherd.fleet.deleting import COLLECTIONS, GETTERS, delete, require_unchanged, targets
from tpuherd.fleet.messages import node_row, queue_row
from tpuherd.fleet.tpu import Kind
from tpuherd.remote.parallel import in_parallel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pluggy import PluginManager

    from tpuherd.cleanup.survey import Survey
    from tpuherd.fleet.deleting import Target
    from tpuherd.fleet.tpu import Tpu
    from tpuherd.model.cloud import Cloud
    from tpuherd.output.reporter import Reporter
    from tpuherd.store.store import Store

TIMEOUT_S = 600.0
"""How long one deletion is waited for."""


class Fortune(Enum):
    """What became of something that was to be deleted."""

    GONE = "gone"
    STAYED = "stayed"
    """When it was looked at again it was not to be deleted any more."""
    FAILED = "failed"
    """It may still be there, and cost money."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """What became of a node, or of a queued resource with its nodes."""

    target: Target
    fortune: Fortune
    text: str = ""


class Remover:
    """Deletes what a survey says may go."""

    def __init__(self, cloud: Cloud, store: Store, manager: PluginManager, reporter: Reporter) -> None:
        """Keep the parts."""
        self._cloud = cloud
        self._store = store
        self._manager = manager
        self._reporter = reporter

    def remove(self, found: Survey) -> list[Removal]:
        """Give back through its job what a job of this store holds, then delete the rest, all at once."""
        wanted = targets(found.going, found.fleet.tpus)
        jobs = {key(one.tpu): one.verdict.job for one in found.findings}
        problems = self._give_back(sorted({jobs[key(row)] for target in wanted for row in target.rows}))
        by_target = [
            next((problems[jobs[key(row)]] for row in target.rows if jobs[key(row)] in problems), None)
            for target in wanted
        ]
        return in_parallel(self._remove, list(zip(wanted, by_target, strict=True)))

    def _give_back(self, job_ids: list[str]) -> dict[str, tuple[Fortune, str]]:
        """Have jobs release what they hold, one after the other; those that did not, with what came of it."""
        problems = {}
        for job_id in filter(None, job_ids):
            self._reporter.note(f"job {job_id} gives back what it holds")
            try:
                record = self._store.jobs.get(job_id)
                if not give_back(self._store, self._manager, record, self._reporter):
                    problems[job_id] = (Fortune.STAYED, f"job {job_id} is in use again")
            except TpuherdError as error:
                problems[job_id] = (Fortune.FAILED, str(error))
        return problems

    def _remove(self, item: tuple[Target, tuple[Fortune, str] | None]) -> Removal:
        target, problem = item
        if problem is not None:
            return Removal(target=target, fortune=problem[0], text=problem[1])
        try:
            api = TpuApi(self._cloud, target.zone)
            rows = _rows_now(api, target)
            reason = self._reason_to_stay(rows)
            if reason:
                return Removal(target=target, fortune=Fortune.STAYED, text=reason)
            if rows:
                delete(self._cloud, target, wait=True, timeout_s=TIMEOUT_S, note=self._reporter.note)
        except TpuherdError as error:
            return Removal(target=target, fortune=Fortune.FAILED, text=str(error))
        return Removal(target=target, fortune=Fortune.GONE)

    def _reason_to_stay(self, rows: Sequence[Tpu]) -> str:
        """Judge again; empty if all of it may still go, or goes already."""
        known = know(self._store, [row.job for row in rows])
        if any(is_foreign(row, known) for row in rows):
            return "it is not yours any more"
        verdicts = [judge(row, known, frozenset(), time.time()) for row in rows]
        leaving = all(row.state == "DELETING" for row in rows)
        return next((v.reason for v in verdicts if v.fate is not Fate.GOES and not leaving), "")


def _rows_now(api: TpuApi, target: Target) -> list[Tpu]:
    """What is left of a target; raises `StateError` if something else has taken its place."""
    nodes = [require_unchanged(api, row) for row in target.rows if row.kind is Kind.NODE]
    resource = _queued_resource(api, target) if target.kind is Kind.QUEUED_RESOURCE else None
    states = {resource.name: resource.state.state.name} if resource else {}
    rows = [node_row(node, states) for node in nodes if node is not None]
    return rows or ([queue_row(resource)] if resource else [])


def _queued_resource(api: TpuApi, target: Target) -> Any | None:
    shown = next((row for row in target.rows if row.kind is Kind.QUEUED_RESOURCE), None)
    if shown is not None:
        return require_unchanged(api, shown)
    return api.get(GETTERS[target.kind], f"{COLLECTIONS[target.kind]}/{target.name}")
