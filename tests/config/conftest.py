"""A folder to write job files into."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from job_files import Folder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)
