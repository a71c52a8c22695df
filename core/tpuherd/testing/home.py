"""A home of its own for every test, left as clean as it was found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

PREFIX = "TPUHERD_"
"""Of all variables that mean something to tpuherd."""

SUPERVISOR_LOG = "supervisor.log"
"""In the home, once a command has started a supervisor."""

JOBS, CLOUD = "jobs", "emulator"
"""Folders in the home, once there was a job, or an emulated cloud."""

TIMEOUT_S = 60.0
"""For each of the commands that clean up."""


@contextmanager
def private_environment(home: Path) -> Iterator[dict[str, str]]:
    """Leave `TPUHERD_HOME` as the only variable of tpuherd, and restore all of them afterwards.

    Yields:
        The environment as it is at the start, whatever the test changes later.
    """
    saved = _ours(os.environ)
    _replace({"TPUHERD_HOME": str(home)})
    try:
        yield dict(os.environ)
    finally:
        _replace(saved)


def end_everything(home: Path, environment: Mapping[str, str]) -> None:
    """Cancel the jobs that a test has left, and stop its supervisor and its emulated cloud.

    Raises:
        RuntimeError: it did not work; the message says what may still run.
    """
    if not home.exists():
        return
    try:
        _end_jobs(home, environment)
        if (home / SUPERVISOR_LOG).exists():
            _tpuherd(environment, "supervise", "--stop")
    finally:
        if (home / CLOUD).exists():
            _tpuherd(environment, "cloud.down", "--force")


def _end_jobs(home: Path, environment: Mapping[str, str]) -> None:
    """A command is not even started where no job ever was: most tests have none."""
    if not (home / JOBS).exists():
        return
    for job in json.loads(_tpuherd(environment, "list", "--live", "--json")):
        _tpuherd(environment, "cancel", job["job"])


def _ours(variables: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in variables.items() if name.startswith(PREFIX)}


def _replace(wanted: Mapping[str, str]) -> None:
    for name in _ours(os.environ):
        del os.environ[name]
    os.environ.update(wanted)


def _tpuherd(environment: Mapping[str, str], *words: str) -> str:
    command = [sys.executable, "-P", "-m", "tpuherd", *words]
    done = subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )
    if done.returncode:
        raise RuntimeError(
            f"cleaning up {environment['TPUHERD_HOME']}: `tpuherd {' '.join(words)}` ended with "
            f"{done.returncode}; workers may still run\n{done.stderr}"
        )
    return done.stdout
