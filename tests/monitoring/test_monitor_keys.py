"""What keys mean, and what they start."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tpuherd.errors import StateError
from tpuherd.monitoring.actions import (
    ACK,
    ACTIONS,
    CANCEL,
    PAUSE,
    RECOVER,
    RESUME,
    ack_words,
    cancel_words,
    pause_words,
    resume_words,
)
from tpuherd.monitoring.state import Screen
from tpuherd.monitoring.view import JobView

JOBS = ["a", "b", "c"]
VIEW = JobView(job="a", owner="ada", attempt=1, state="live")


@pytest.fixture
def screen():
    made = Screen()
    made.show(JOBS)
    return made


def press(screen, *keys):
    for key in keys:
        screen.press(key, JOBS)
    return screen


def test_the_selection_moves_and_stays_with_its_job(screen):
    assert press(screen, "down", "j").selected == "c"
    assert press(screen, "down").selected == "c"
    assert press(screen, "up", "k", "k").selected == "a"
    press(screen, "down")
    screen.show(["x", "b"])
    assert screen.selected == "b"
    screen.show(["x"])
    assert screen.selected == "x"
    screen.show([])
    assert screen.selected == ""


def test_follow_quit_and_keys_that_mean_nothing(screen):
    assert not press(screen, "", "z").follow
    assert press(screen, "f").follow
    assert press(screen, "q").over


def test_cancel_is_asked_before(screen):
    press(screen, "c")
    assert screen.due is None
    assert "cancel a: stop the workload and give the slices back? [y/N]" in screen.footer
    press(screen, "n")
    assert (screen.due, screen.footer) == (None, "nothing was done")
    press(screen, "c", "y")
    assert screen.due is not None
    assert screen.due.label == "cancel"


def test_while_it_asks_no_other_key_does_anything(screen):
    press(screen, "c", "q")
    assert (screen.over, screen.asking, screen.due) == (False, None, None)


def test_a_question_about_a_job_that_went_away_is_not_answered_for_another(screen):
    press(screen, "c")
    screen.show(["b", "c"])
    press(screen, "y")
    assert (screen.selected, screen.due) == ("b", None)


def test_resume_is_done_at_once(screen):
    assert press(screen, "r").due.label == "resume"


def test_without_a_job_only_quitting_is_possible():
    screen = Screen()
    for key in ("down", "f", "c", "r"):
        screen.press(key, [])
    assert (screen.follow, screen.asking, screen.due) == (False, None, None)


def test_the_footer_names_all_keys(screen):
    assert [f"{one.key} {one.label}" in screen.footer for one in ACTIONS] == [True] * len(ACTIONS)
    assert len({one.key for one in ACTIONS} | set("fqjk")) == len(ACTIONS) + 4


def test_what_resume_and_cancel_start():
    assert resume_words(VIEW) == RESUME
    assert resume_words(replace(VIEW, state="failed")) == RECOVER
    assert cancel_words(VIEW) == CANCEL
    assert pause_words(VIEW) == PAUSE
    assert ack_words(replace(VIEW, state="failed")) == ACK


@pytest.mark.parametrize(
    ("words", "values"),
    [
        (resume_words, {"driver": "host:1:2"}),
        (resume_words, {"state": "succeeded"}),
        (resume_words, {"state": "cancelled"}),
        (cancel_words, {"state": "failed", "ended": True}),
        (pause_words, {"state": "failed", "ended": True}),
        (ack_words, {"state": "live"}),
    ],
)
def test_what_makes_no_sense_is_refused(words, values):
    with pytest.raises(StateError, match=r"^a "):
        words(replace(VIEW, **values))
