"""Labels that say whose a resource is, and until when."""

from __future__ import annotations

import re

import pytest

from tpuherd.cloud.labels import EXPIRES, OWNER, STORE, belonging, expiry_of, moment_label

AT = 1_800_000_000.0


def test_a_moment_comes_back_from_its_label():
    assert expiry_of({EXPIRES: moment_label(AT)}) == AT
    assert moment_label(AT) == "20270115-080000"


@pytest.mark.parametrize("text", ["", "soon", "20261301-000000", "2026-11-21", "99999999-999999"])
def test_a_label_that_cannot_be_read_is_no_expiry(text):
    assert expiry_of({EXPIRES: text}) is None
    assert expiry_of({}) is None


def test_labels_are_as_the_api_wants_them():
    marks = belonging("Ada.Lovelace", "0123abcd", AT)
    assert set(marks) == {OWNER, STORE, EXPIRES}
    assert all(re.fullmatch(r"[a-z0-9_-]{1,63}", value) for value in marks.values())
    assert set(belonging("ada", "", None)) == {OWNER}
