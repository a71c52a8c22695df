"""The store, for as long as a hook needs it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from tpuherd.store.store import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tpuherd.store.store import Store


@contextmanager
def opened() -> Iterator[Store]:
    """Open the user's store, and close its connections afterwards."""
    store = open_store()
    try:
        yield store
    finally:
        store.engine.dispose()
