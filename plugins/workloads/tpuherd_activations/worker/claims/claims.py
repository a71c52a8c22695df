"""Claims on parts.

A claim only saves work: two workers with the same part write the same files, and the first manifest counts.
It is a cell that its holder writes anew before the lease is over. Others watch the version by their own
clocks, which need not agree: who sees no new version for a whole lease may take the part.
"""

from __future__ import annotations

import json
import threading
import time
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING
from uuid import uuid4

from ..errors import ClaimLostError

if TYPE_CHECKING:
    from ..places import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """A process that works on parts.

    Attributes:
        job: Those of one job know of one another when they have ended.
        worker: The machine's name in the job.
        attempt: What an earlier attempt of the job held is free at once: attempts end everywhere.
        nonce: The process.
    """

    job: str
    worker: str
    attempt: int
    nonce: str = field(default_factory=lambda: uuid4().hex)

    def outlives(self, other: Holder) -> bool:
        """Whether the other one is known to have ended."""
        return bool(self.job) and self.job == other.job and self.attempt > other.attempt


class Claim:
    """A part that this process holds."""

    def __init__(self, name: str, version: int, lease_s: float) -> None:
        self.name = name
        self.version = version
        self._lease_s = lease_s
        self._until = time.monotonic() + lease_s

    def renewed(self, version: int | None) -> None:
        """Note a renewal; None: somebody else has it now."""
        self._until = time.monotonic() + self._lease_s if version else 0
        self.version = version or self.version

    @property
    def held(self) -> bool:
        """Whether nobody else can have it yet."""
        return time.monotonic() <= self._until

    def check(self) -> None:
        """Raise `ClaimLostError` if others may have it by now."""
        if not self.held:
            raise ClaimLostError(f"{self.name}: another worker has it")


class Claims:
    """The claims of one process; a thread renews them until `close`."""

    def __init__(self, place: Place, folder: str, holder: Holder, lease_s: float) -> None:
        self._place, self._folder, self._holder, self._lease_s = place, folder, holder, lease_s
        self._seen: dict[str, tuple[int, float]] = {}
        self._held: dict[str, Claim] = {}
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._renew, name="claims", daemon=True)
        self._thread.start()

    def take(self, name: str) -> Claim | None:
        """Claim a part; None if somebody has it."""
        cell = f"{self._folder}/{name}"
        found = self._place.cell(cell)
        if found is not None and not self._free(name, *found):
            return None
        version = self._place.swap(cell, self._value(), found[1] if found else 0) or self._confirmed(cell)
        if version is None:
            return None
        with self._lock:
            claim = self._held[name] = Claim(name, version, self._lease_s)
        return claim

    def drop(self, claim: Claim) -> None:
        """Stop renewing a claim: its part is done."""
        with self._lock:
            self._held.pop(claim.name, None)

    def close(self) -> None:
        """Stop renewing, and let others have what is still held."""
        self._stop.set()
        self._thread.join()
        with self._lock:
            for claim in self._held.values():
                self._place.swap(f"{self._folder}/{claim.name}", b"{}", claim.version)
            self._held.clear()

    def _free(self, name: str, data: bytes, version: int) -> bool:
        """Whether a cell's holder is gone: it said so, its attempt is over, or it has been silent."""
        said = json.loads(data)
        if not said or self._holder.outlives(Holder(**said)):
            return True
        last, since = self._seen.setdefault(name, (version, time.monotonic()))
        if last == version:
            return time.monotonic() - since > self._lease_s
        self._seen[name] = (version, time.monotonic())
        return False

    def _confirmed(self, cell: str) -> int | None:
        """A write whose answer was lost looks like somebody else's."""
        found = self._place.cell(cell)
        return found[1] if found and found[0] == self._value() else None

    def _value(self) -> bytes:
        return json.dumps(asdict(self._holder), sort_keys=True).encode()

    def _renew(self) -> None:
        while not self._stop.wait(self._lease_s / 4):
            with self._lock:
                held = list(self._held.values())
            for claim in held:
                self._renew_one(claim)

    def _renew_one(self, claim: Claim) -> None:
        try:
            cell = f"{self._folder}/{claim.name}"
            version = self._place.swap(cell, self._value(), claim.version) or self._confirmed(cell)
        except Exception:  # noqa: BLE001  # whatever it was: the next try is soon, and leases end by themselves
            return
        claim.renewed(version)
