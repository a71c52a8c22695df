"""Folders on workers that belong to one thing alone."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator

from tpuherd.config.sections import wrong


def _is_own(value: str) -> str:
    """Below the root, and nothing that a shell or a mount table writes in another way."""
    if not re.fullmatch(r"~?(/[\w.+-]+)+", value) or re.search(r"/\.\.?(/|$)", value):
        raise wrong(f"{value!r} is no folder of its own: write a path such as /mnt/data or ~/data")
    return value


OwnFolder = Annotated[str, AfterValidator(_is_own)]
"""A place for a mount: from `/` or from `~/`."""
