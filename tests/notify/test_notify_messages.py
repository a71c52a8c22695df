"""Which events are told, in which words, and how many of them."""

from __future__ import annotations

import pytest

from tpuherd_apprise.limit import Limit
from tpuherd_apprise.message import LONGEST, message_of, wanted

DEFAULT = ("diagnosis", "recovery", "job.ended")


@pytest.mark.parametrize(
    ("kind", "text", "patterns", "yes"),
    [
        ("diagnosis", "hung: no step", DEFAULT, True),
        ("job.ended", "succeeded", DEFAULT, True),
        ("stage.started", "provision", DEFAULT, False),
        ("job.ended", "failed", ("job.failed",), True),
        ("job.ended", "succeeded", ("job.failed",), False),
        ("stage.failed", "provision: no", ("stage.*",), True),
        ("recovery", "Wait: a bit", ("*",), True),
        ("job.given-back", "failed", ("job.failed",), False),
    ],
)
def test_which_are_wanted(event, kind, text, patterns, yes):
    assert wanted(event(kind, text), patterns) == yes


@pytest.mark.parametrize(
    ("kind", "text", "title", "color"),
    [
        ("job.ended", "failed", "job.ended failed", "failure"),
        ("job.ended", "succeeded", "job.ended succeeded", "success"),
        ("job.ended", "cancelled", "job.ended cancelled", "warning"),
        ("diagnosis", "hung: no step\nmore", "diagnosis hung", "warning"),
        ("recovery", "ReplaceSlice: because", "recovery ReplaceSlice", "info"),
        ("workload.started", "", "workload.started", "info"),
    ],
)
def test_the_words(event, kind, text, title, color):
    told = message_of(event(kind, text), left_out=0)
    assert (told.title, told.kind) == (f"{event(kind).job_id}: {title}", color)
    assert told.body.startswith(f"{text}\nattempt 2, ")


def test_what_was_left_out_is_said_and_long_texts_are_cut(event):
    told = message_of(event("diagnosis", "x" * (LONGEST + 5)), left_out=3)
    assert "x" * LONGEST + " …" in told.body
    assert "x" * (LONGEST + 1) not in told.body
    assert "3 more messages were left out" in told.body


def test_no_more_than_so_many_in_an_hour_but_the_end_in_any_case():
    limit = Limit(2)
    admitted = [limit.admit(now, in_any_case=False) for now in (0.0, 10.0, 20.0, 30.0)]
    assert admitted == [True, True, False, False]
    assert limit.admit(40.0, in_any_case=True)
    assert (limit.left_out(), limit.left_out()) == (2, 0)
    assert not limit.admit(3600.0, in_any_case=False)
    assert limit.admit(3610.0, in_any_case=False)
