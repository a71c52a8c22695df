"""What the calls of the API work on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd_emulator.storage.catalogue import Catalogue
from tpuherd_emulator.storage.disk import Disk
from tpuherd_emulator.storage.parts import PartUploads
from tpuherd_emulator.storage.resumable import Sessions

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """One store: what is there, and what is being uploaded."""

    disk: Disk
    catalogue: Catalogue
    sessions: Sessions
    parts: PartUploads

    def close(self) -> None:
        """Give unfinished uploads up and let another server use the folder."""
        self.sessions.close()
        self.disk.close()


def open_service(directory: Path) -> Service:
    """Open the store below a folder, with what it had when it was closed or killed.

    Raises:
        ConfigError: another server uses the folder.
    """
    disk = Disk(directory)
    return Service(
        disk=disk,
        catalogue=Catalogue(disk),
        sessions=Sessions(disk.incoming),
        parts=PartUploads(disk.incoming),
    )
