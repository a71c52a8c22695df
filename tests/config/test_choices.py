from __future__ import annotations

from tpuherd.config.choices import LISTED, closest, nearest


def test_a_near_word():
    assert nearest("zoen", ["name", "zone"]) == "did you mean 'zone'? valid: name, zone"


def test_upper_case_does_not_matter():
    assert closest("HOST", ["venv", "host"]) == "host"


def test_no_near_word():
    assert nearest("xyz", ["name", "zone"]) == "valid: name, zone"


def test_no_choice():
    assert nearest("xyz", []) == "nothing is valid here"


def test_long_lists_are_cut():
    sentence = nearest("?", (f"k{number:03}" for number in range(LISTED + 5)))
    assert sentence.endswith(f"k{LISTED - 1:03} and 5 more")
