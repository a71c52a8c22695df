"""From globs to hook points."""

from __future__ import annotations

import difflib
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from ..errors import HookError
from .points import names
from .taps import Taps

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..architecture import Architecture


def choose(architecture: Architecture, globs: Iterable[str]) -> Taps:
    """Find what was asked for; negative layers count from the end (`blocks.-1.hook_resid_post`).

    Args:
        architecture: Of the model.
        globs: Names, or patterns with `*`, `?` and `[…]` as in a shell.

    Raises:
        HookError: nothing was asked for, or one of the globs matches nothing.
    """
    known = names(architecture)
    wanted = {name for glob in globs for name in _matching(architecture, known, glob)}
    if not wanted:
        raise HookError(f"no hooks were asked for; there are {known[0]}, {known[1]} … {known[-1]}")
    return Taps(names=tuple(name for name in known if name in wanted), layers=len(architecture.layers))


def _matching(architecture: Architecture, known: list[str], glob: str) -> list[str]:
    plain = _from_the_end(glob, len(architecture.layers))
    found = [name for name in known if fnmatchcase(name, plain)]
    if found:
        return found
    near = difflib.get_close_matches(plain, known, n=3, cutoff=0.3)
    raise HookError(
        f"hook {glob!r} matches nothing in a {architecture.family} model "
        f"of {len(architecture.layers)} blocks; nearest are {', '.join(near) or ', '.join(known[:3])}"
    )


def _from_the_end(glob: str, layers: int) -> str:
    first, *rest = glob.split(".")
    if first == "blocks" and rest and rest[0].startswith("-") and rest[0][1:].isdigit():
        rest[0] = str(layers - int(rest[0][1:]))
    return ".".join([first, *rest])
