"""Orders on disk: what was deleted in order to be made again, until it is there again."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from tpuherd import paths
from tpuherd.fleet.orders import Order
from tpuherd.fleet.tpu import Kind

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An order that is being repeated."""

    order: Order
    replaces: tuple[str, ...]
    """Incarnations that it replaces: another one of the same name is the new one."""


class Drafts:
    """The drafts of one project; a killed command leaves them for the next."""

    def __init__(self, project: str) -> None:
        """Keep the project."""
        self._folder = paths.home() / "fleet" / project

    def save(self, draft: Draft) -> None:
        """Keep a draft, readable for this user only: metadata may hold anything."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self._path(draft.order)
        new = path.with_suffix(".new")
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            json.dump(asdict(draft), file, default=lambda kind: kind.value)
        new.replace(path)

    def find(self, name: str, zone: str = "") -> list[Draft]:
        """The drafts of this name, in one zone or in any."""
        return [draft for draft in self.all() if draft.order.name == name and zone in {"", draft.order.zone}]

    def all(self) -> list[Draft]:
        """All drafts: their orders are not done."""
        return [_load(path) for path in sorted(self._folder.glob("*.json"))]

    def drop(self, order: Order) -> None:
        """Forget an order: it is done."""
        self._path(order).unlink(missing_ok=True)

    def _path(self, order: Order) -> Path:
        return self._folder / f"{order.name}@{order.zone}.json"


def _load(path: Path) -> Draft:
    values = json.loads(path.read_text())
    order = values["order"] | {"kind": Kind(values["order"]["kind"])}
    return Draft(order=Order(**order), replaces=tuple(values["replaces"]))
