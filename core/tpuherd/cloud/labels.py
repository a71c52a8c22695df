"""Whose a cloud resource is: labels that every resource made by tpuherd carries."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tpuherd.model.job import Job

OWNER = "tpuherd-owner"
JOB = "tpuherd-job"
ATTEMPT = "tpuherd-attempt"
STORE = "tpuherd-store"
EXPIRES = "tpuherd-expires"
MOMENT = "%Y%m%d-%H%M%S"
"""How a moment is written in a label, in UTC: label values have neither colons nor capitals."""


def ownership(job: Job) -> dict[str, str]:
    """The labels of a resource that is asked for now: for which job and attempt, until when.

    A job's ttl counts from here, so call it for the request itself.
    """
    tenure = job.session.tenure
    return {
        **belonging(job.owner, tenure.store_id, tenure.begin()),
        JOB: label_value(job.id),
        ATTEMPT: str(job.attempt.number),
    }


def belonging(owner: str, store_id: str, expires_at: float | None) -> dict[str, str]:
    """The labels of a resource with or without a job: who made it, which store knows it, until when.

    Args:
        owner: the user.
        store_id: see `SettingStore.store_id`; empty if there is no store.
        expires_at: Unix time in seconds; `None`: it does not expire.
    """
    marks = {OWNER: label_value(owner)}
    marks |= {STORE: label_value(store_id)} if store_id else {}
    return marks | ({} if expires_at is None else {EXPIRES: moment_label(expires_at)})


def moment_label(at: float) -> str:
    """A moment as a label value, for example `20261121-134500`, in UTC."""
    return datetime.fromtimestamp(at, UTC).strftime(MOMENT)


def expiry_of(labels: Mapping[str, str]) -> float | None:
    """When a resource expires, in Unix seconds; `None` if it does not, or if the label cannot be read."""
    try:
        return datetime.strptime(labels.get(EXPIRES, ""), MOMENT).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


def label_value(text: str) -> str:
    """A text in the letters that label values may have: lower case, digits, `-` and `_`, at most 63."""
    return re.sub(r"[^a-z0-9_-]", "-", text.lower())[:63]


def is_ours(labels: Mapping[str, str], job: Job) -> bool:
    """True if a resource was made for this job."""
    return labels.get(JOB) == label_value(job.id) and labels.get(OWNER) == label_value(job.owner)
