"""Waiting until workers answer: VMs take a while to start sshd and to learn keys."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from tpuherd.errors import RemoteError
from tpuherd.remote.errors import HostKeyChangedError, UnreachableError
from tpuherd.remote.parallel import in_parallel

if TYPE_CHECKING:
    from tpuherd.remote.dialer import Dialer
    from tpuherd.remote.link import Link

_FIRST_PAUSE_S = 0.05
_LONGER = 1.3
"""Each pause than the one before it."""
_LONGEST_PAUSE_S = 2.0


class Arrival:
    """One wait for workers, until `deadline`, a `time.monotonic()`."""

    def __init__(self, dialer: Dialer, deadline: float) -> None:
        self._dialer = dialer
        self._deadline = deadline
        self._hopeless = threading.Event()

    def wait_for(self, links: list[Link]) -> None:
        """Return when all answer.

        Raises:
            UnreachableError: how many answered, and for each missing worker why; more time may help.
            RemoteError: the same, when no time would help; `HostKeyChangedError`: a host key changed.
        """
        try:
            errors = in_parallel(self._wait, links)
        finally:
            self._hopeless.set()  # Ctrl-C leaves the threads behind: they must not go on trying
        missing = [(link, error) for link, error in zip(links, errors, strict=True) if error]
        if missing:
            reasons = "".join(f"\n  {link.worker.name}: {error}" for link, error in missing)
            counted = f"{len(links) - len(missing)} of {len(links)} workers answered; missing:"
            raise _kind(errors)(counted + reasons)

    def _wait(self, link: Link) -> RemoteError | None:
        """The last error, or `None` once the worker answers."""
        pause_s = _FIRST_PAUSE_S
        while error := self._try(link):
            left_s = self._deadline - time.monotonic()
            if left_s <= 0 or self._hopeless.wait(min(pause_s, left_s)):
                return error
            pause_s = min(_LONGER * pause_s, _LONGEST_PAUSE_S)
        return None

    def _try(self, link: Link) -> RemoteError | None:
        try:
            link.connect(self._dialer, self._deadline)
        except RemoteError as error:
            if isinstance(error, HostKeyChangedError) or not isinstance(error, UnreachableError):
                self._hopeless.set()  # waiting does not help
            return error
        return None


def _kind(errors: list[RemoteError | None]) -> type[RemoteError]:
    """The kind of the whole: that of the first worker for which waiting does not help."""
    kinds = [type(error) for error in errors if error]
    return next((kind for kind in kinds if kind is not UnreachableError), UnreachableError)
