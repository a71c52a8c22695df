"""How many processes and devices there are, against how many were promised.

The harness logs every exception of `jax.distributed.initialize` and goes on as a single process: four
workers would then write four half-benchmarks over one another. The guard here ends the process instead.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from functools import wraps
from typing import Any, NoReturn

WRONG_TOPOLOGY = 65
"""Exit code of a process that found another number of processes or devices than promised."""


@dataclass(frozen=True)
class Topology:
    """What JAX found."""

    process_index: int
    processes: int
    devices: int
    """Of all processes together."""
    local_devices: int
    device_kind: str
    platform: str


def topology() -> Topology:
    """Return what JAX finds; starts its backend if nobody has done so yet."""
    import jax

    return Topology(
        process_index=jax.process_index(),
        processes=jax.process_count(),
        devices=jax.device_count(),
        local_devices=jax.local_device_count(),
        device_kind=jax.devices()[0].device_kind,
        platform=jax.default_backend(),
    )


@dataclass
class Guard:
    """What the allocation promises, and what was found."""

    processes: int
    devices: int
    """Of all processes together."""
    found: Topology | None = None
    """Set once it has been confirmed."""

    def confirm(self) -> None:
        """Look at the topology; if it is not the promised one, end this process with exit code 65."""
        found = topology()
        if (found.processes, found.devices) != (self.processes, self.devices):
            self._end(f"found {found.processes} process(es) and {found.devices} device(s)")
        self.found = found

    def install(self) -> None:
        """Wrap `jax.distributed.initialize`, such that it delivers what was promised or ends this process.

        With one process there may be no cluster to detect: that is only noted, and the numbers are still
        checked.
        """
        import jax

        initialize = jax.distributed.initialize

        @wraps(initialize)
        def initialize_or_end(*args: Any, **kwargs: Any) -> None:
            asked = kwargs.get("num_processes")
            if asked not in (None, self.processes):
                self._end(f"JAX_NUM_PROCESSES is {asked}")
            try:
                initialize(*args, **kwargs)
            except Exception as error:  # noqa: BLE001 - whatever it is, the harness must not swallow it
                self._note_or_end(error)
            self.confirm()

        jax.distributed.initialize = initialize_or_end

    def _note_or_end(self, error: Exception) -> None:
        reason = " ".join(f"jax.distributed.initialize failed: {error}".split())
        if self.processes > 1:
            self._end(reason)
        sys.stderr.write(f"tpuherd: one process, no cluster joined ({reason})\n")

    def _end(self, found: str) -> NoReturn:
        """End at once: no exit handlers, they would wait for peers in JAX's shutdown barrier."""
        expected = f"expected {self.processes} process(es) and {self.devices} device(s)"
        sys.stderr.write(f"tpuherd: wrong topology: {expected}, {found}\n")
        sys.stderr.flush()
        os._exit(WRONG_TOPOLOGY)
