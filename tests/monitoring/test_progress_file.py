"""The file in which the progress of an attempt is."""

from __future__ import annotations

import pytest

from tpuherd.model.sighting import Progress
from tpuherd.monitoring import progress_file
from tpuherd.monitoring.progress_file import KEPT, ProgressWriter, read_samples


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until it is told to go on."""

    class Clock:
        now = 1000.0

        def time(self):
            return self.now

    made = Clock()
    monkeypatch.setattr(progress_file, "time", made)
    return made


def steps(path):
    return [one.step for one in read_samples(path)]


def test_a_report_is_kept_once_and_not_more_often_than_every_second(tmp_path, clock):
    path = tmp_path / "progress.json"
    writer = ProgressWriter(path)
    writer.note([None])
    assert not path.exists()
    for step, later_s in ((1, 0), (1, 5), (2, 0), (3, 0.5), (4, 1), (5, 1)):
        clock.now += later_s
        writer.note([Progress(step=step)])
    assert steps(path) == [1, 2, 4, 5]
    writer.close([Progress(step=6)])
    writer.close([Progress(step=6)])
    assert steps(path) == [1, 2, 4, 5, 6]
    assert [one.name for one in tmp_path.iterdir()] == ["progress.json"]


def test_another_controller_goes_on_with_it_and_it_does_not_grow(tmp_path, clock):
    path = tmp_path / "progress.json"
    for step in range(3 * KEPT):
        clock.now += 2
        ProgressWriter(path).note([Progress(step=step, total=9)])
    assert steps(path) == list(range(2 * KEPT, 3 * KEPT))


def test_a_clock_that_went_back_stops_nothing(tmp_path, clock):
    writer = ProgressWriter(tmp_path / "progress.json")
    writer.note([Progress(step=1)])
    clock.now -= 500
    writer.note([Progress(step=2)])
    assert steps(tmp_path / "progress.json") == [1, 2]


@pytest.mark.parametrize("text", ["", "{", "[1]", '[{"at": 1, "stop": 2}]', '{"at": 1}'])
def test_a_file_that_makes_no_sense_counts_as_none(tmp_path, text):
    path = tmp_path / "progress.json"
    path.write_text(text)
    assert read_samples(path) == []
    assert read_samples(tmp_path / "none.json") == []


def test_a_folder_that_cannot_be_written_is_no_trouble_of_the_job(tmp_path):
    ProgressWriter(tmp_path / "gone" / "progress.json").note([Progress(step=1)])
    assert not (tmp_path / "gone").exists()
