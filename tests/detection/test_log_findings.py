"""Looking through the ends of kept logs."""

from __future__ import annotations

import re

import pytest

from tpuherd.engine.local_log import LocalLog, log_file
from tpuherd.model.detector import Detector, Where
from tpuherd.model.failure import FailureClass
from tpuherd.observing import logs


def row(pattern, where=Where.LOG):
    return Detector(id=re.sub(r"\W", "", pattern), where=where, pattern=pattern, failure=FailureClass.HUNG)


def found(directory, *patterns, workers=(0,)):
    return [
        (one.detector.pattern, one.fact.worker, one.fact.line, one.fact.text)
        for one in logs.log_findings(directory, workers, [row(pattern) for pattern in patterns])
    ]


def test_the_last_line_that_matches_counts(tmp_path):
    log_file(tmp_path, 0).write_text("error 1\nfine\nerror 2\nfine\n")
    log_file(tmp_path, 1).write_text("fine")
    assert found(tmp_path, r"error \d", "never", workers=(0, 1, 7)) == [(r"error \d", 0, 3, "error 2")]


def test_a_pattern_is_searched_for_in_one_line(tmp_path):
    log_file(tmp_path, 0).write_text("a\nb\n")
    assert found(tmp_path, r"a\s*b", "^b$") == [("^b$", 0, 2, "b")]


def test_what_was_printed_long_before_does_not_count_but_is_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(logs, "TAIL_BYTES", 100)
    monkeypatch.setattr(logs, "BLOCK_BYTES", 64)
    log_file(tmp_path, 0).write_text("error early\n" + "fine\n" * 500 + "error late\n")
    assert found(tmp_path, "error early", "error late") == [("error late", 0, 502, "error late")]


@pytest.mark.parametrize("data", [b"", b"\n", b"\xff\xfe error \x00\n", b"x" * 300_000 + b" error"])
def test_no_log_is_too_strange(tmp_path, data):
    log_file(tmp_path, 0).write_bytes(data)
    assert len(found(tmp_path, "error")) == (b"error \x00" in data)


def test_rows_of_other_places_are_not_looked_for(tmp_path):
    log_file(tmp_path, 0).write_text("lost\n")
    assert logs.log_findings(tmp_path, [0], [row("lost", Where.EXIT)]) == []


def test_findings_have_the_time_at_which_their_line_came(tmp_path):
    log = LocalLog(log_file(tmp_path, 0), lambda _: None)
    log.append(0, b"error 1\n")
    (one,) = logs.log_findings(tmp_path, [0], [row("error")])
    assert one.fact.at == pytest.approx(log_file(tmp_path, 0).stat().st_mtime, abs=5)
