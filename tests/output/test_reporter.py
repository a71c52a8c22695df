"""Progress for people."""

from __future__ import annotations

import io
import threading

import pytest

from tpuherd.model.event import Event
from tpuherd.output.reporter import Reporter


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Closed(io.StringIO):
    """A pipe whose reader went away."""

    def write(self, text):
        raise BrokenPipeError


@pytest.fixture(autouse=True)
def no_wishes(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)


def event(kind, text, at=0.0):
    return Event(job_id="j", attempt=1, kind=kind, text=text, at=at)


def everything(stream):
    reporter = Reporter(stream, stream)
    reporter.event(event("stage.started", "provision", at=10))
    reporter.event(event("stage.ended", "provision: 4 workers", at=12.5))
    reporter.event(event("stage.failed", "sync_code: first line\nsecond line"))
    reporter.event(event("recovery", "GiveUp: why\nmore"))
    reporter.note("a note")
    reporter.problem("a problem")
    reporter.worker_line("w11", "text")
    reporter.show("a table")
    return stream.getvalue()


def test_what_is_said():
    assert everything(io.StringIO()).splitlines() == [
        "▸ provision",
        "✓ provision    4 workers (2.5 s)",
        "✗ sync_code    first line (0.0 s)",
        "  · recovery: GiveUp: why",
        "  · a note",
        "✗ a problem",
        "w11 │ text",
        "a table",
    ]


@pytest.mark.parametrize(
    ("stream", "variables", "colored"),
    [
        (io.StringIO, {}, False),
        (Terminal, {}, True),
        (Terminal, {"NO_COLOR": "1"}, False),
        (Terminal, {"NO_COLOR": ""}, True),
        (io.StringIO, {"FORCE_COLOR": "1"}, True),
        (io.StringIO, {"FORCE_COLOR": ""}, False),
        (Terminal, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, True),
    ],
)
def test_colors_are_for_terminals_and_for_those_who_want_them(monkeypatch, stream, variables, colored):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert ("\033[" in everything(stream())) == colored


def test_workers_have_colors_of_their_own(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    stream = io.StringIO()
    reporter = Reporter(stream, stream)
    for worker in ("w0", "w1"):
        reporter.worker_line(worker, "same")
    first, second = (line.partition("w")[0] for line in stream.getvalue().splitlines())
    assert first != second


def test_an_error_without_text_is_no_crash():
    stream = io.StringIO()
    Reporter(stream, stream).event(event("stage.failed", "provision: "))
    assert stream.getvalue().startswith("✗ provision")


def test_a_reader_that_went_away_does_not_stop_the_job():
    heard = io.StringIO()
    reporter = Reporter(heard, Closed())
    reporter.worker_line("w0", "nobody hears this")
    reporter.note("but this")
    assert heard.getvalue() == "  · but this\n"


def test_lines_of_several_threads_stay_whole():
    stream = io.StringIO()
    reporter = Reporter(stream, stream)

    def talk(worker):
        for number in range(200):
            reporter.worker_line(worker, f"{number} of {worker}")

    threads = [threading.Thread(target=talk, args=(f"w{index}",)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = stream.getvalue().splitlines()
    for index in range(4):
        assert [line for line in lines if line.startswith(f"w{index}")] == [
            f"w{index}  │ {number} of w{index}" for number in range(200)
        ]
