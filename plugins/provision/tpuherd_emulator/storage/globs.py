"""Globs of object listings: https://cloud.google.com/storage/docs/json_api/v1/objects/list#list-objects-and-prefixes-using-glob."""

from __future__ import annotations

import re
from itertools import accumulate

from tpuherd_emulator.storage.errors import invalid

_SYMBOL = re.compile(r"(?<![^/])\*\*/|\*\*|\*|\?|\[[!^]?\]?[^\]]*\]|[{},]|\\.|.", re.DOTALL)
_PLAIN = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]", "{": "(?:", "}": ")"}


def compile_glob(glob: str) -> re.Pattern[str]:
    """Translate a glob: `*` and `?` stop at a slash, `**` does not; `[a-z]`, `[!a]` and `{one,two}` work.

    Raises:
        StorageError: 400, malformed.
    """
    symbols = _SYMBOL.findall(glob)
    depths = accumulate((symbol == "{") - (symbol == "}") for symbol in symbols)
    try:
        return re.compile("".join(map(_translate, symbols, depths)), re.DOTALL)
    except re.error as error:
        raise invalid(f"Invalid value {glob!r} for matchGlob: {error}", "matchGlob") from None


def _translate(symbol: str, depth: int) -> str:
    if symbol == "," and depth > 0:
        return "|"
    if len(symbol) > 2 and symbol.startswith("["):
        return "(?!/)[" + re.sub(r"^[!^]", "^", symbol[1:-1]).replace("\\", r"\\") + "]"
    if len(symbol) == 2 and symbol.startswith("\\"):
        return re.escape(symbol[1])
    return _PLAIN.get(symbol, re.escape(symbol))
