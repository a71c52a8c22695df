"""What the metadata server announces while a workload runs: recorded, and a preemption acted on."""

from __future__ import annotations

import threading
import time
from contextlib import suppress

from tpuherd_agent import metadata
from tpuherd_agent.errors import AgentError
from tpuherd_agent.stop import stop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd_agent.attempt import Attempt
    from tpuherd_agent.ledger import Ledger

MAINTENANCE_PAUSE_S = 5.0
FIRST_S = 1.0
"""Before the first question: the workload's first line comes first. Importing an HTTP client takes a third of
what starting a workload does, and dozens of emulated workers may share a machine."""


class Notices:
    """Listens in two threads, for as long as the keeper lives."""

    def __init__(self, attempt: Attempt, ledger: Ledger) -> None:
        self._attempt = attempt
        self._ledger = ledger
        self._stopping = threading.Lock()

    def listen(self, address: str) -> None:
        """Begins."""
        for watch in (self._preemption, self._maintenance):
            threading.Thread(target=self._listen, args=(watch, address), daemon=True).start()

    def finish(self) -> None:
        """Waits for a stop that is at work: it ends with this process, and may have more to end."""
        with self._stopping:
            pass

    def _listen(self, watch: Callable[[str], None], address: str) -> None:
        time.sleep(FIRST_S)
        watch(address)

    def _preemption(self, address: str) -> None:
        """Asks the workload to end, with its grace: whether a controller is there or not."""
        noticed_at = metadata.wait_for_preemption(address)
        with self._stopping, suppress(AgentError, OSError):  # the controller tries again, and says so
            self._ledger.put(self._attempt.preemption, {"notice_at": noticed_at})
            stop(self._attempt, None)

    def _maintenance(self, address: str) -> None:
        """The workload goes on: that may be days ahead."""
        known = ""
        for answer in metadata.answers(address, metadata.MAINTENANCE, MAINTENANCE_PAUSE_S):
            text = metadata.maintenance(answer)
            if text and text != known:
                self._ledger.put(self._attempt.maintenance, {"text": text, "notice_at": time.time()})
            known = text
