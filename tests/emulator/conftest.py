"""Emulated clouds for tests."""

from __future__ import annotations

import pytest
from emulated import Cloud

from tpuherd_emulator import lifecycle
from tpuherd_emulator.lifecycle import EmulatorOptions


@pytest.fixture(scope="module")
def make_cloud(tmp_path_factory):
    """Return a function that starts a cloud; all are stopped at the end of the module."""
    directories = []

    def make(**options):
        directory = tmp_path_factory.mktemp("cloud")
        directories.append(directory)
        settings = {"create_s": 0.0, "delete_s": 0.0, "queue_s": 0.02, **options}
        return Cloud(directory, lifecycle.up(directory, EmulatorOptions(**settings)))

    yield make
    for directory in directories:
        lifecycle.down(directory)


@pytest.fixture(scope="module")
def cloud(make_cloud):
    return make_cloud()
