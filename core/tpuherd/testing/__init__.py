"""Fixtures for the tests of plugins; pytest loads them wherever tpuherd is installed.

A plugin's test drives its hooks as values, or a whole job on the emulated cloud:

    def test_says_hello(tpuherd_run):
        done = tpuherd_run("run", EXAMPLES / "hello.yaml")
        assert done.exit_code == 0
        assert "hello" in done.stdout

This module is imported at the start of every pytest run, so it imports nothing heavy and changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tpuherd.testing.cloud import CloudNode, EmulatedCloud
from tpuherd.testing.command import CommandResult, CommandRunner
from tpuherd.testing.home import end_everything, private_environment
from tpuherd.testing.jobs import JobFactory
from tpuherd.testing.recorder import HookCall, HookRecorder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pluggy import PluginManager

__all__ = [
    "CloudNode",
    "CommandResult",
    "CommandRunner",
    "EmulatedCloud",
    "HookCall",
    "HookRecorder",
    "JobFactory",
    "job_factory",
    "tpuherd_cloud",
    "tpuherd_home",
    "tpuherd_plugins",
    "tpuherd_recorder",
    "tpuherd_run",
]


@pytest.fixture
def tpuherd_home(tmp_path: Path) -> Iterator[Path]:
    """A private `TPUHERD_HOME`: its own store, jobs and emulated cloud.

    All other `TPUHERD_*` variables of the developer are unset for the test and restored after it. At the end,
    jobs that still live are cancelled and the emulated cloud is stopped.
    """
    home = tmp_path / "tpuherd-home"
    with private_environment(home) as environment:
        yield home
        end_everything(home, environment)


@pytest.fixture
def tpuherd_run(tpuherd_home: Path) -> CommandRunner:
    """Run the real `tpuherd` command in a process of its own: `tpuherd_run("run", job_file)`."""
    return CommandRunner(tpuherd_home)


@pytest.fixture
def tpuherd_cloud(tpuherd_run: CommandRunner) -> EmulatedCloud:
    """The emulated cloud of the test: `tpuherd_cloud.preempt("node")`, `.fault("stockout")`, `.tick(30)`."""
    return EmulatedCloud(tpuherd_run)


@pytest.fixture
def tpuherd_plugins() -> PluginManager:
    """A fresh plugin manager with all installed plugins, for this test only."""
    from tpuherd.manager import make_plugin_manager

    return make_plugin_manager()


@pytest.fixture
def tpuherd_recorder(tpuherd_plugins: PluginManager) -> Iterator[HookRecorder]:
    """All hook calls that are made through `tpuherd_plugins`, in order."""
    recorder = HookRecorder(tpuherd_plugins)
    yield recorder
    recorder.stop()


@pytest.fixture
def job_factory(tpuherd_plugins: PluginManager, tmp_path: Path) -> JobFactory:
    """Make jobs and allocations as values, for hooks that only look: `job_factory("hello: {name: you}")`."""
    return JobFactory(tpuherd_plugins, tmp_path)
