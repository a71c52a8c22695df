"""An emulated cloud per module, in several zones."""

from __future__ import annotations

import pytest
from clouded import clouded

from .fleet_home import FleetHome


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    """Ada's command line, on a cloud that other people use, too."""
    folder = tmp_path_factory.mktemp("fleet")
    with clouded(folder, workers="none") as cloud:
        yield FleetHome(folder, cloud)
