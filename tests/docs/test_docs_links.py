"""Every file and every heading that the documentation points to exists."""

from __future__ import annotations

import re

import pytest
from doc_pages import ROOT, pages, prose

LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")
NAMED = re.compile(r"`((?:core|docs|examples|plugins|scripts|tests)/[\w./-]+)`")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def slug(heading):
    """The anchor that a heading gets: as on GitHub."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_lead_somewhere(page):
    for match in LINK.finditer(prose(page)):
        target, _, anchor = match["target"].partition("#")
        if target.startswith(("https://", "http://")):
            continue
        there = (page.parent / target).resolve() if target else page
        assert there.exists(), match[0]
        if anchor:
            assert anchor in map(slug, HEADING.findall(prose(there))), match[0]


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_are_named_exist(page):
    for name in NAMED.findall(prose(page)):
        if "<" not in name:
            assert (ROOT / name).exists() or (page.parent / name).exists(), name


def test_every_page_can_be_reached_from_the_index():
    index = (ROOT / "docs/index.md").read_text()
    linked = {(ROOT / "docs" / match["target"]).resolve() for match in LINK.finditer(index)}
    assert set((ROOT / "docs").rglob("*.md")) - linked == {ROOT / "docs/index.md"}
