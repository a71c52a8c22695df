"""Multiple-choice questions as prompts, with their choices in several orders: `activations.form: quiz`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import PromptForm, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def prompt_forms() -> Sequence[PromptForm]:
    """The form `quiz`."""
    text = "`copies` texts: a question with its choices in another order each, and the answer's letter"
    return [PromptForm(name="quiz", function="tpuherd_quiz.making:quiz", description=text)]
