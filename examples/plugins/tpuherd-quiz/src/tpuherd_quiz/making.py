"""What runs on the workers, where there is no tpuherd: only the standard library."""

from __future__ import annotations

from random import Random
from typing import Any

LETTERS = "ABCDEFGHIJ"


def quiz(record: dict[str, Any], number: int, copies: int = 4, seed: int = 0) -> list[str]:
    """Make texts of a question; one without a choice makes none.

    Args:
        record: Has `question`, `choices` and `answer`, which is one of the choices.
        number: Of the record: with the seed it decides about the orders, so they are always the same.
        copies: How many texts.
        seed: Another one gives other orders.
    """
    if len(record["choices"]) < 2:
        return []
    return [_text(record, Random(f"{seed} {number} {copy}")) for copy in range(copies)]


def _text(record: dict[str, Any], random: Random) -> str:
    choices = random.sample(record["choices"], len(record["choices"]))
    shown = [f"{letter}) {choice}" for letter, choice in zip(LETTERS, choices, strict=False)]
    answer = LETTERS[choices.index(record["answer"])]
    return "\n".join([record["question"], *shown, f"Answer: {answer}"])
