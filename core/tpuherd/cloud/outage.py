"""Living through times without an answer of the TPU API: nothing is known then, and nothing is deleted."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

from tpuherd.cloud import client

if TYPE_CHECKING:
    from tpuherd.cloud.refusals import CloudRefused
    from tpuherd.model.job import Job

LONGEST_PAUSE_S = 60.0


class Outage:
    """Decides whether an API that is down is worth waiting for."""

    def __init__(self, job: Job) -> None:
        """The API is up as far as is known."""
        self._job = job
        self._since: float | None = None
        self._pause_s = 0.5

    @property
    def lasts(self) -> bool:
        """True since the last call was not answered."""
        return self._since is not None

    def over(self) -> None:
        """It has answered."""
        self._since, self._pause_s = None, 0.5

    def survive(self, error: CloudRefused) -> None:
        """Sleep for a while if the API is down and the job waits for capacity, or it is down only just now.

        Raises:
            CloudRefused: it is another error, or it has lasted too long.
        """
        if not error.unanswered:
            raise error
        now = time.monotonic()
        self._since = self._since or now
        if not self._job.spec.tpu.wait_for_capacity and now - self._since >= self._patience_s:
            raise error
        self._job.session.note(f"the TPU API does not answer, asking again: {error.text}")
        self._job.session.sleep(self._pause_s * random.uniform(0.5, 1.0))  # noqa: S311 - no secret
        self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)

    @property
    def _patience_s(self) -> float:
        """As long as a read is repeated."""
        return client.LOCAL_RETRY_S if self._job.cloud.tpu_endpoint else client.READ_RETRY_S
