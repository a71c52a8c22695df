"""Which workers, and how to reach them: what connections are kept for."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from tpuherd.model.allocation import Worker
from tpuherd.model.cloud import SshAccess


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """All workers of one allocation."""

    workers: tuple[Worker, ...]
    access: SshAccess
    known_hosts: Path
    """The job's file of host keys; its folder names the job."""
    connect_timeout_s: float = 20.0

    @property
    def job_id(self) -> str:
        """The job that the workers belong to."""
        return self.known_hosts.parent.name

    def to_header(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "workers": [asdict(worker) for worker in self.workers],
            "access": asdict(self.access),
            "known_hosts": str(self.known_hosts),
            "connect_timeout_s": self.connect_timeout_s,
        }

    @classmethod
    def from_header(cls, header: dict[str, Any]) -> Self:
        """The opposite of `to_header`.

        Raises:
            LookupError, TypeError: it is none.
        """
        return cls(
            workers=tuple(Worker(**worker) for worker in header["workers"]),
            access=SshAccess(**header["access"]),
            known_hosts=Path(header["known_hosts"]),
            connect_timeout_s=float(header["connect_timeout_s"]),
        )
