"""Aliases: short names for machines, and what a user means by a word."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select

from tpuherd.config.choices import nearest
from tpuherd.errors import ConfigError, StateError
from tpuherd.store.records import to_record
from tpuherd.store.tables import aliases

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from tpuherd.store.store import Store

_WORD = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,62})")
_MACHINE = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]{0,62})(?:@([a-z]+(?:-[a-z]+)*\d+-[a-z0-9]+))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineName:
    """A machine by its name."""

    name: str
    zone: str = ""
    """Empty: the name alone says which one."""

    def __str__(self) -> str:
        return f"{self.name}@{self.zone}" if self.zone else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """A short name that stands for a machine."""

    alias: str
    resource: str
    """The name of the machine."""
    zone: str
    """Its zone; empty: the name alone says which one."""
    owner: str
    """Who made the alias."""

    @property
    def machine(self) -> MachineName:
        """The machine."""
        return MachineName(name=self.resource, zone=self.zone)


class AliasStore:
    """Makes, shows and drops aliases; all users of a store share them."""

    def __init__(self, engine: Engine) -> None:
        """Keep the database engine."""
        self._engine = engine

    def all(self) -> list[Alias]:
        """All aliases, in the order of their names."""
        with self._engine.connect() as connection:
            rows = connection.execute(select(aliases).order_by(aliases.c.alias)).all()
        return [to_record(Alias, row) for row in rows]

    def get(self, word: str) -> Alias | None:
        """The alias of this name."""
        return next((one for one in self.all() if one.alias == word), None)

    def make(self, new: Alias, *, force: bool) -> None:
        """Let an alias stand for a machine from now on.

        Raises:
            ConfigError: it is no word.
            StateError: it is somebody else's alias, and `force` was not given.
        """
        if not _WORD.fullmatch(new.alias):
            raise ConfigError(f"{new.alias!r} cannot be an alias: letters, digits, '.', '_' and '-' only")
        self._require_own(new.alias, new.owner, force=force)
        with self._engine.begin() as connection:
            connection.execute(delete(aliases).where(aliases.c.alias == new.alias))
            connection.execute(insert(aliases).values(**asdict(new)))

    def drop(self, word: str, user: str, *, force: bool) -> Alias:
        """Forget an alias, and return what it was.

        Raises:
            StateError: there is none, or it is somebody else's and `force` was not given.
        """
        found = self.get(word)
        if found is None:
            raise StateError(f"there is no alias {word!r}; {nearest(word, (a.alias for a in self.all()))}")
        self._require_own(word, user, force=force)
        with self._engine.begin() as connection:
            connection.execute(delete(aliases).where(aliases.c.alias == word))
        return found

    def _require_own(self, word: str, user: str, *, force: bool) -> None:
        found = self.get(word)
        if found and found.owner != user and not force:
            raise StateError(
                f"alias {word!r} is {found.owner}'s and stands for {found.machine}: ask, or add --force"
            )


def parse_name(word: str) -> MachineName:
    """A machine as users name it: `NAME`, or `NAME@ZONE`.

    Raises:
        ConfigError: it is neither.
    """
    match = _MACHINE.fullmatch(word)
    if not match:
        raise ConfigError(f"{word!r} is no name of a TPU: NAME, or NAME@ZONE such as v4-a@us-central2-b")
    return MachineName(name=match[1], zone=match[2] or "")


def resolve_alias(store: Store, word: str) -> MachineName:
    """The machine that a word means: what an alias of this name stands for, else the name itself.

    Args:
        store: where the aliases are.
        word: an alias, `NAME`, or `NAME@ZONE`.

    Raises:
        ConfigError: it is none of these.
    """
    found = store.aliases.get(word)
    return found.machine if found else parse_name(word)
