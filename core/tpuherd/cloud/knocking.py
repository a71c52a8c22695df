"""Trying workers in the background: a slice is usable when they answer, whatever its state says."""

from __future__ import annotations

from concurrent.futures import wait
from typing import TYPE_CHECKING, Any

from tpuherd.cloud.host_keys import HostKeys
from tpuherd.cloud.nodes import to_slices
from tpuherd.errors import ProvisionError, RemoteError
from tpuherd.model.allocation import Allocation
from tpuherd.remote.errors import HostKeyChangedError, UnreachableError
from tpuherd.remote.parallel import in_background

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Future

    from tpuherd.model.job import Job

ROUND_S = 4.0
"""For how long workers are tried before the API is asked again whether they are still the same."""


class Knocking:
    """Knocks at the workers of a request, in rounds, each in a thread of its own."""

    def __init__(self, job: Job, queued_resource_id: str | None) -> None:
        """Nothing happens before there are nodes."""
        self._job = job
        self._queued_resource_id = queued_resource_id
        self._keys = HostKeys(job)
        self._round: Future[UnreachableError | None] | None = None
        self._asked: Allocation | None = None
        self._reason = ""

    @property
    def resting(self) -> bool:
        """True unless a round goes on."""
        return self._round is None or self._round.done()

    def rest(self, timeout_s: float) -> None:
        """Wait until the round ends, but no longer than `timeout_s` seconds."""
        if self._round is not None:
            wait([self._round], timeout=timeout_s)

    def answered(self, nodes: Sequence[Any]) -> Allocation | None:
        """The allocation, if all workers of these very nodes have answered; knocks until they do.

        Raises:
            ProvisionError: a worker cannot be trusted, or the key cannot be used: more time would not help.
        """
        allocation = self._allocation(nodes)
        if self._round is not None and not self._round.done():
            return None
        if self._round is not None and self._asked == allocation and self._result(self._round) is None:
            return allocation
        self._asked = allocation
        self._round = in_background(self._knock, allocation)
        return None

    def reason(self) -> str:
        """Why the last round was in vain; waits for the first one to end, which takes a few seconds."""
        if not self._reason and self._round is not None:
            wait([self._round], timeout=2 * ROUND_S)
            if self._round.done():
                self._result(self._round)
        return self._reason

    def stop(self) -> None:
        """Let go of the workers: their slices are being given back."""
        if self._asked is not None:
            self._job.session.hang_up(self._asked)

    def _allocation(self, nodes: Sequence[Any]) -> Allocation:
        return Allocation(
            slices=to_slices(nodes),
            project=self._job.cloud.project,
            queued_resource_id=self._queued_resource_id,
        )

    def _result(self, ended: Future[UnreachableError | None]) -> UnreachableError | None:
        try:
            error = ended.result()
        except RemoteError as wrong:
            raise ProvisionError(str(wrong)) from wrong
        self._reason = str(error or "")
        return error

    def _knock(self, allocation: Allocation) -> UnreachableError | None:
        """One round; what was published while it went on must agree with what the workers have shown."""
        self._keys.pin(allocation)
        try:
            self._job.session.workers(allocation, self._job.cloud.ssh).connect(ROUND_S)
        except HostKeyChangedError:
            raise
        except UnreachableError as error:
            return error
        self._keys.pin(allocation)
        return None
