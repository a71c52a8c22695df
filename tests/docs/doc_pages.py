"""The pages of the documentation, and the code blocks on them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)


def pages() -> list[Path]:
    """All pages, those of the example plugins included."""
    return [
        ROOT / "README.md",
        ROOT / "CHANGELOG.md",
        *sorted((ROOT / "docs").rglob("*.md")),
        *sorted((ROOT / "examples").rglob("*.md")),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One fenced code block."""

    page: Path
    line: int
    info: str
    """What is written behind the opening fence, for example `yaml partial`."""
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(*infos: str) -> list[Block]:
    """All blocks with one of these info strings."""
    return [block for page in pages() for block in blocks_of(page) if block.info in infos]


def blocks_of(page: Path) -> list[Block]:
    """All blocks of one page."""
    text = page.read_text()
    return [_block(page, text, match) for match in FENCE.finditer(text)]


def _block(page: Path, text: str, match: re.Match[str]) -> Block:
    line = text.count("\n", 0, match.start()) + 1
    return Block(page=page, line=line, info=match["info"].strip(), text=match["text"])


def prose(page: Path) -> str:
    """A page without its code blocks."""
    return FENCE.sub("", page.read_text())
