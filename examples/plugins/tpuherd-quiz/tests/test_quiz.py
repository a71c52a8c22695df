"""The form as a function, and the plugin that contributes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tpuherd_quiz.making import quiz

from tpuherd.hooks import GlobalHooks

if TYPE_CHECKING:
    from pluggy import PluginManager

RECORD = {"question": "What is 2 + 2?", "choices": ["3", "4", "5"], "answer": "4"}


def test_the_answer_follows_its_choice() -> None:
    texts = quiz(RECORD, 7, copies=20)
    assert len(set(texts)) > 1
    for text in texts:
        letter = text[-1]
        assert f"{letter}) 4" in text.splitlines()


def test_the_same_record_gives_the_same_texts() -> None:
    assert quiz(RECORD, 7) == quiz(RECORD, 7)
    assert quiz(RECORD, 7, copies=20) != quiz(RECORD, 8, copies=20)
    assert quiz(RECORD, 7, copies=20) != quiz(RECORD, 7, copies=20, seed=1)


def test_a_question_without_a_choice_makes_none() -> None:
    assert quiz({**RECORD, "choices": ["4"]}, 0) == []
    with pytest.raises(KeyError, match="choices"):
        quiz({"question": "?"}, 0)


def test_the_plugin_contributes_it(tpuherd_plugins: PluginManager) -> None:
    assert "quiz" in {form.name for _plugin, form in GlobalHooks(tpuherd_plugins).prompt_forms()}
