"""A folder as the place of a dataset: what is delivered to it is on the disk, and no longer in memory."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

from tpuherd_activations.worker.places import open_place
from tpuherd_activations.worker.places.checksums import identity_of

if TYPE_CHECKING:
    from pathlib import Path

NUMBERS = bytes(range(256)) * 256


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "made"
    made.write_bytes(NUMBERS)
    return made


def deliver(file: Path, folder: Path) -> bytes | None:
    place = open_place(str(folder))
    place.deliver("part/hook", file, identity_of(file))
    return place.find("part/hook")


@pytest.mark.skipif(not hasattr(os, "posix_fadvise"), reason="not on this system")
def test_a_delivered_file_leaves_memory_after_it_has_reached_the_disk(file, tmp_path, monkeypatch) -> None:
    calls: list[tuple[str, int]] = []
    reach, advise = os.fsync, os.posix_fadvise

    def note(what: str, descriptor: int) -> None:
        calls.append((what, os.fstat(descriptor).st_size))

    monkeypatch.setattr(os, "fsync", lambda one: (note("fsync", one), reach(one)))
    monkeypatch.setattr(os, "posix_fadvise", lambda one, *how: (note(str(how), one), advise(one, *how)))
    assert deliver(file, tmp_path / "set") == NUMBERS
    whole = [what for what, size in calls if size == len(NUMBERS)]
    assert whole == ["fsync", str((0, 0, os.POSIX_FADV_DONTNEED))]


def test_a_file_system_that_takes_no_advice_is_as_good(file, tmp_path, monkeypatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EINVAL, "no advice")

    monkeypatch.setattr(os, "posix_fadvise", refuse, raising=False)
    assert deliver(file, tmp_path / "set") == NUMBERS


def test_a_system_without_advice_is_as_good(file, tmp_path, monkeypatch) -> None:
    monkeypatch.delattr(os, "posix_fadvise", raising=False)
    assert deliver(file, tmp_path / "set") == NUMBERS
