"""Lines and excerpts, without a network."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tpuherd.remote.text import Excerpt, LineSplitter

TEXT = "aä\r\n\n€uro\rprogress\n🐑 end"
LINES = ["aä", "", "€uro\rprogress", "🐑 end"]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
def test_lines_do_not_depend_on_chunks(size):
    splitter, data = LineSplitter(), TEXT.encode()
    lines = [line for at in range(0, len(data), size) for line in splitter.feed(data[at : at + size])]
    assert lines + splitter.rest() == LINES
    assert splitter.rest() == []


@pytest.mark.parametrize("unit", [b"x", "€".encode(), b"\xff"])
def test_endless_lines_come_in_pieces(unit):
    splitter, fed, told = LineSplitter(), 0, []
    for _ in range(100):
        told += splitter.feed(unit * 5000)
        fed += 5000
        assert len(splitter._pending) <= 1 << 16
    told += splitter.rest()
    assert "".join(told) == unit.decode("utf-8", "replace") * fed


def test_a_short_output_is_kept_whole():
    excerpt = Excerpt(10)
    for byte in b"0123456789":
        excerpt.feed(bytes([byte]))
    assert excerpt.text() == "0123456789"


def test_head_and_tail_of_a_long_one():
    excerpt = Excerpt(10)
    for _ in range(1000):
        excerpt.feed(b"abcdefghij")
    assert excerpt.text() == "abcde\n[... 9,990 bytes left out ...]\nfghij"
    assert len(excerpt._tail) <= 20


def test_characters_are_not_cut_by_the_mark():
    excerpt = Excerpt(8)
    excerpt.feed("€€€€€€".encode())
    assert excerpt.text() == "€\n[... 10 bytes left out ...]\n€"


def test_the_package_starts_without_its_heavy_parts():
    heavy = {"fabric", "paramiko", "invoke", "cryptography"}
    code = f"import sys, tpuherd.remote; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
