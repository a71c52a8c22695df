"""Bytes in any pieces to whole lines."""

from __future__ import annotations

import random

from tpuherd.engine.lines import LONGEST_LINE, LineSplitter


def split(pieces):
    found = []
    lines = LineSplitter(found.append)
    for piece in pieces:
        lines.feed(piece)
    lines.flush()
    return found


def test_however_it_is_cut():
    text = "one\n\nzwei: größer\n日本\n" * 20 + "the rest"
    data, cuts = text.encode(), random.Random(0)
    for _ in range(20):
        pieces, start = [], 0
        while start < len(data):
            end = start + cuts.randint(1, 9)
            pieces.append(data[start:end])
            start = end
        assert split(pieces) == text.split("\n")


def test_a_broken_character_is_replaced():
    assert split([b"a\xff\n", b"\xe6\x97"]) == ["a\ufffd", "\ufffd"]


def test_a_line_without_end_does_not_fill_the_memory():
    found = []
    lines = LineSplitter(found.append)
    lines.feed(b"x" * (LONGEST_LINE + 1))
    assert len(found) == 1
    lines.feed(b"y\n")
    assert found == ["x" * (LONGEST_LINE + 1), "y"]


def test_nothing_is_flushed_twice():
    found = []
    lines = LineSplitter(found.append)
    lines.feed(b"a")
    lines.flush()
    lines.flush()
    assert found == ["a"]
