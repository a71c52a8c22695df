"""What a restart test came to, by the store."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from tpuherd.restart_test.plan import KILLING, VERDICT, newest, planned

if TYPE_CHECKING:
    from tpuherd.store.store import Store


def report(store: Store, job_id: str) -> dict[str, object] | None:
    """The test with what was killed why, and the verdict, for JSON; `None` if the job is no restart test."""
    test = planned(store, job_id)
    if test is None:
        return None
    said = {"killed": newest(store, job_id, KILLING), "verdict": newest(store, job_id, VERDICT)}
    return asdict(test) | said
