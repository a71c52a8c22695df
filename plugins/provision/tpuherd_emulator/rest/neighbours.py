"""The answers of other APIs without which `gcloud compute tpus tpu-vm ssh` goes nowhere, and no others."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tpuherd_emulator.rest.os_login import OsLogin

_COMPUTE_PROJECT = re.compile(r"compute/(?:v1|alpha|beta)/projects/([^/]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours:
    """Compute Engine and OS Login, as far as they are asked."""

    project: str
    os_login: OsLogin

    def answer(self, verb: str, path: str, body: bytes) -> dict[str, Any] | None:
        """Return what another API says; `None` if it is not asked, or says nothing here."""
        found = _COMPUTE_PROJECT.fullmatch(path)
        if verb == "GET" and found and found[1] == self.project:
            return self._compute_project()
        return self.os_login.answer(verb, path, body)

    def _compute_project(self) -> dict[str, Any]:
        """A project whose metadata hold no SSH keys: gcloud then puts the user's key on the node itself."""
        return {
            "kind": "compute#project",
            "id": "1",
            "name": self.project,
            "commonInstanceMetadata": {"kind": "compute#metadata", "items": []},
        }
