"""The worker's own folder for emergency checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tpuherd_orbax_benchmark.worker.local import local_folder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The worker's home folder, in a first attempt of job `bench-1`."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("RAM", str(tmp_path / "ram"))
    monkeypatch.setenv("TPUHERD_JOB_ID", "bench-1")
    monkeypatch.setenv("TPUHERD_RESUME", "0")
    return tmp_path


def test_the_job_has_its_own_folder_in_it(home: Path) -> None:
    assert local_folder("~/own") == home / "own" / "bench-1"
    assert local_folder("$RAM/own") == home / "ram" / "own" / "bench-1"
    assert local_folder(str(home)).is_dir()


def test_it_is_emptied_unless_the_attempt_goes_on(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = home / "own" / "other-job"
    other.mkdir(parents=True)
    (local_folder("~/own") / "step_4").touch()
    monkeypatch.setenv("TPUHERD_RESUME", "1")
    assert [path.name for path in local_folder("~/own").iterdir()] == ["step_4"]
    monkeypatch.setenv("TPUHERD_RESUME", "0")
    assert list(local_folder("~/own").iterdir()) == []
    assert other.is_dir(), "what is another's stays"
