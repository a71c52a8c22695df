"""What the warm starter does once, so that each of its children need not."""

from __future__ import annotations

import sys
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING

from tpuherd.errors import TpuherdError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tpuherd.store.store import Store

HEAVY = frozenset({"fabric", "google", "grpc", "jax", "paramiko"})
"""Not for a process that forks: they are large, or watch over forks."""
NAMES = ".modules"
ABSOLUTE = "sqlite:////"


def note_used_modules(path: Path) -> None:
    """Leave the names of the modules that this process has imported, of plugins and our own, to a starter.

    Args:
        path: the starter's socket; the names are beside it.

    Raises:
        OSError: they cannot be written.
    """
    path.with_suffix(NAMES).write_text("\n".join(_used_modules()))


def noted_modules(path: Path) -> list[str]:
    """The names that were left, if any were."""
    try:
        return path.with_suffix(NAMES).read_text().split()
    except OSError:
        return []


def _used_modules() -> list[str]:
    from tpuherd.tasks.loaded import manager

    names = {getattr(plugin, "__name__", "") for plugin in manager().get_plugins()}
    roots = {"tpuherd"} | {name.partition(".")[0] for name in names} - {"", "__main__"}
    return sorted(name for name in sys.modules if name.partition(".")[0] in roots)


def import_light(names: Sequence[str]) -> None:
    """Import modules, but for those that need something heavy, or that cannot be imported."""
    with _without_heavy():
        for name in names:
            with suppress(Exception):
                import_module(name)


def rehearse_store() -> None:
    """Have the database's questions compiled, by asking some; a store with a relative path is left alone."""
    from tpuherd.paths import database_url
    from tpuherd.store.database import leave_to_fork
    from tpuherd.store.store import Store

    url = database_url()
    if not url.startswith(ABSOLUTE):
        return
    with suppress(TpuherdError):
        store = Store(url)
        _ask(store)
        leave_to_fork(url, store.engine)


def _ask(store: Store) -> None:
    for job in store.jobs.all()[-1:]:
        store.jobs.get(job.id)
        store.attempts.all(job.id)
        store.stages.all(job.id)
        store.stages.get(job.id, job.attempt, "provision")
        store.leases.driver(job.id)


@contextmanager
def _without_heavy() -> Iterator[None]:
    guard = _Guard()
    sys.meta_path.insert(0, guard)
    try:
        yield
    finally:
        sys.meta_path.remove(guard)


class _Guard:
    """A finder that finds nothing, and keeps others from finding what is heavy."""

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> None:
        """See `importlib.abc.MetaPathFinder`."""
        if name.partition(".")[0] in HEAVY:
            raise ImportError(name)
