"""Code blocks that show a file of the repository: `<!-- file: PATH -->`, then the block."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

BLOCK = re.compile(
    r"(<!-- file: (?P<path>\S+) -->\n+```[a-z ]*\n)(?P<text>.*?)(?=^```$)", re.DOTALL | re.MULTILINE
)


def renewed(page: str, root: Path) -> str:
    """Return a page whose blocks show the files as they are now.

    Raises:
        FileNotFoundError: a page names a file that is not there.
    """
    return BLOCK.sub(lambda match: match[1] + (root / match["path"]).read_text(), page)
