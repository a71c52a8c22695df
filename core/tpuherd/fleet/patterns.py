"""Which TPUs a user means: `v4`, `v4+`, `v5e-8`, `v4-32+`, `v34`, `v*`, or a name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from tpuherd.accelerators import resolve
from tpuherd.config.choices import nearest
from tpuherd.errors import ConfigError
from tpuherd.generations import GENERATIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

EVERYTHING = ("*", "v*")
"""`v*` is what users of tpu_manager write for any type."""

_ORDER = {generation.name: number for number, generation in enumerate(GENERATIONS)}
_TYPE_LIKE = re.compile(r"(?P<generation>v\d+[a-z]*|tpu7x)(-(?P<size>\d+))?(?P<more>\+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """One word of a user: a set of accelerator types, or names of TPUs."""

    word: str
    generations: frozenset[str] = frozenset()
    """Generations that fit, for example `{"v5e", "v5p"}` for `v5`; empty: the word is no type."""
    smallest_chips: int = 0
    largest_chips: int | None = None
    """`None`: as many as there are."""

    @property
    def is_name(self) -> bool:
        """True if the word means one TPU by its name."""
        return not self.generations and not _is_glob(self.word)

    def fits(self, name: str, accelerator: str) -> bool:
        """True if a TPU of this name and type is meant."""
        if not self.generations:
            return fnmatchcase(name, self.word) or fnmatchcase(accelerator, self.word)
        return _has_type(self, accelerator)


def parse(word: str) -> Pattern:
    """What a word means.

    Args:
        word: `v4` (any size), `v4+` (this generation or a newer one), `v34` (v3 or v4), `v5e-8` or
            `v5litepod-8` (this type), `v4-32+` (this size or more), `v*` (any type), else a name or a glob
            over names and types, for example `ada-*`.

    Raises:
        ConfigError: the word looks like a type, and there is no such type; the nearest are named.
    """
    if word in EVERYTHING:
        return Pattern(word="*")
    like = _TYPE_LIKE.fullmatch(word.lower())
    if not like:
        return Pattern(word=word)
    if like["size"]:
        return _of_size(word, f"{like['generation']}-{like['size']}", more=bool(like["more"]))
    found = _generations(like["generation"], word)
    if like["more"]:
        oldest = min(_ORDER[name] for name in found)
        found = frozenset(name for name, number in _ORDER.items() if number >= oldest)
    return Pattern(word=word, generations=found)


def parse_all(words: Sequence[str]) -> tuple[Pattern, ...]:
    """The meaning of several words; one that fits is enough. See `parse`."""
    return tuple(parse(word) for word in words)


def fits_any(patterns: Sequence[Pattern], name: str, accelerator: str) -> bool:
    """True if one of the patterns fits, or if there are none."""
    return not patterns or any(pattern.fits(name, accelerator) for pattern in patterns)


def _of_size(word: str, type_: str, *, more: bool) -> Pattern:
    known = resolve(type_)
    largest = None if more else known.chips
    generations = frozenset({known.generation})
    return Pattern(word=word, generations=generations, smallest_chips=known.chips, largest_chips=largest)


def _generations(text: str, word: str) -> frozenset[str]:
    """`v5e` is one generation, `v5` all that begin so, `v34` those of its digits."""
    exact = {g.name for g in GENERATIONS if text in {g.name, g.prefix, g.alias}}
    digits = text.removeprefix("v") if re.fullmatch(r"v\d+", text) else ""
    each = [{g.name for g in GENERATIONS if re.match(rf"(v|tpu){digit}", g.name)} for digit in digits]
    if exact or (each and all(each)):
        return frozenset(exact or set().union(*each))
    known = [g.name for g in GENERATIONS]
    raise ConfigError(f"{word!r} is no TPU type; {nearest(text, known)}, each also with +, or -SIZE")


def _has_type(pattern: Pattern, accelerator: str) -> bool:
    try:
        known = resolve(accelerator)
    except ConfigError:
        return False  # a type that this version does not know
    small_enough = pattern.largest_chips is None or known.chips <= pattern.largest_chips
    return known.generation in pattern.generations and known.chips >= pattern.smallest_chips and small_enough


def _is_glob(word: str) -> bool:
    return any(letter in word for letter in "*?[")
