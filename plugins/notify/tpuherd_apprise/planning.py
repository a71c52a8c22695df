"""What `plan` says about messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import PlanStep
from tpuherd_apprise.config import NotifySection
from tpuherd_apprise.places import open_place

if TYPE_CHECKING:
    from pathlib import Path

    from tpuherd.config.secrets import SecretRef
    from tpuherd.config.spec import JobSpec


def steps(spec: JobSpec, base_directory: Path) -> list[PlanStep]:
    """One step for each place.

    Raises:
        ConfigError: an address cannot be read here, or means nothing; nothing was sent.
    """
    if getattr(spec, "notify", None) is None:
        return []
    section = spec.section(NotifySection)
    said = ", ".join(section.events)
    return [
        PlanStep(stage="provision", where="this machine", action=f"tell {who} of {said}")
        for who in (_who(ref, base_directory, number) for number, ref in enumerate(section.urls))
    ]


def _who(ref: SecretRef, base_directory: Path, number: int) -> str:
    place = open_place(ref, base_directory, f"notify.urls[{number}]")
    where = f"{{env: {ref.env}}}" if ref.env else f"{{file: {ref.file}}}"
    return f"{place.service_name} at {where}"
