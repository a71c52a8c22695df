"""The promises find what they are there to find."""

from __future__ import annotations

import pytest
from chaotic.ledger import Note, furthest, read, unfinished, violations


def notes(text):
    rows = (line.split() for line in text.strip().splitlines())
    return [
        Note(attempt=int(a), worker=int(w), pid=int(p), word=word, number=int(n)) for a, w, p, word, n in rows
    ]


GOOD = """
1 0 10 start 0
1 1 20 start 0
1 0 10 step 1
1 0 10 step 2
1 0 10 saved 2
1 1 20 step 1
1 0 10 step 3
2 1 21 start 0
2 0 11 start 2
2 0 11 step 3
2 1 21 step 1
2 1 21 step 2
2 1 21 saved 2
2 1 21 step 3
2 1 21 end 3
2 0 11 end 3
"""


def test_a_job_that_went_on_after_a_failure_has_kept_all_promises():
    assert violations(notes(GOOD)) == []
    assert unfinished(notes(GOOD), workers=2, steps=3) == []
    assert furthest(notes(GOOD)) == 3


@pytest.mark.parametrize(
    ("more", "word"),
    [
        ("2 0 11 start 2", "started 2 times"),
        ("2 0 12 start 2", "started 2 times"),
        ("2 0 12 saved 3", "3 processes have written for 2 starts"),
        ("1 1 20 step 2", "goes on"),
        ("1 0 10 end 3", "beside 2"),
        ("2 0 11 step 5", "step 5 follows 3"),
        ("3 0 12 start 1\n3 0 12 step 2", "step 2 again, 2 was saved"),
    ],
)
def test_each_broken_promise_is_found(more, word):
    last_two = "\n".join(GOOD.strip().splitlines()[7:])
    text = last_two if word.startswith("3 processes") else GOOD
    assert any(word in told for told in violations(notes(f"{text.strip()}\n{more}")))


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("2 1 21 end 3", "worker 1: it has ended in attempts []"),
        ("2 1 21 step 2", "worker 1: steps [2] were never done"),
    ],
)
def test_what_was_left_out_is_found(line, word):
    text = GOOD.replace(f"{line}\n", "")
    assert any(told.startswith(word) for told in unfinished(notes(text), workers=2, steps=3))


def test_reading(tmp_path):
    path = tmp_path / "ledger"
    assert read(path) == []
    path.write_text(GOOD.lstrip())
    assert read(path) == notes(GOOD)
