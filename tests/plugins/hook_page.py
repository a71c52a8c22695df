"""The page of hooks, cut into its parts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "hooks.md"


@dataclass(frozen=True, kw_only=True)
class HookPart:
    """What the page says about one hook."""

    heading: str
    text: str

    @property
    def example(self) -> str:
        (source,) = re.findall(r"^```python\n(.*?)^```$", self.text, flags=re.MULTILINE | re.DOTALL)
        return source

    @property
    def again(self) -> str:
        (_, after) = self.text.split("**If it is called again:**")
        return " ".join(re.split(r"^## ", after, flags=re.MULTILINE)[0].split())


def hook_parts() -> dict[str, HookPart]:
    """Name of the hook to its part, in the order of the page."""
    pieces = re.split(r"^### (.*)$", PAGE.read_text(), flags=re.MULTILINE)[1:]
    parts = (HookPart(heading=h, text=t) for h, t in zip(pieces[::2], pieces[1::2], strict=True))
    return {part.heading.strip("`").partition("(")[0]: part for part in parts}


def table_rows() -> list[list[str]]:
    """The rows of the table of answers."""
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
