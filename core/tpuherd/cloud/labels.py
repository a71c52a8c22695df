"""Whose a cloud resource is: labels that every resource made by tpuherd carries."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tpuherd.errors import ProvisionError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tpuherd.model.job import Job

OWNER = "tpuherd-owner"
JOB = "tpuherd-job"
ATTEMPT = "tpuherd-attempt"


def ownership(job: Job) -> dict[str, str]:
    """The labels that say for which job and attempt a resource was made."""
    return {
        OWNER: label_value(job.owner),
        JOB: label_value(job.id),
        ATTEMPT: str(job.attempt.number),
    }


def label_value(text: str) -> str:
    """A text in the letters that label values may have: lower case, digits, `-` and `_`, at most 63."""
    return re.sub(r"[^a-z0-9_-]", "-", text.lower())[:63]


def is_ours(labels: Mapping[str, str], job: Job) -> bool:
    """True if a resource was made for this job."""
    return labels.get(JOB) == label_value(job.id) and labels.get(OWNER) == label_value(job.owner)


def require_ours(resource: Any, what: str, job: Job) -> None:
    """Refuse to use what somebody else made, whatever its name.

    Raises:
        ProvisionError: it does not carry this job's labels.
    """
    if not is_ours(dict(resource.labels), job):
        raise ProvisionError(
            f"{what} exists already, and job {job.id} did not make it: choose another `tpu.name`"
        )
