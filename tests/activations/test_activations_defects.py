"""The page of defects names tests that are there, for all thirty."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/explanation/activations-defects.md"


def test_every_defect_has_tests_and_they_exist():
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| D")]
    assert [row.split()[1] for row in rows] == [f"D{number}" for number in range(1, 31)]
    for row in rows:
        named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", row)
        assert named, row
        for file, test in named:
            assert f"\ndef {test}(" in (ROOT / file).read_text(), f"{file}::{test}"
