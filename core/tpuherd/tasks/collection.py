"""The collection of tasks that plugins add to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from invoke.collection import Collection

if TYPE_CHECKING:
    from invoke.tasks import Task


class TaskCollection(Collection):
    """An invoke collection that makes sub-collections as they are named."""

    def add(
        self, task: Task[Any], collection: str = "", name: str | None = None, *, default: bool = False
    ) -> None:
        """Add a task, as `NAME` or as `COLLECTION.NAME`.

        Args:
            task: the invoke task.
            collection: name of the sub-collection; empty: the top.
            name: the task's name on the command line; default: the function's, with dashes.
            default: the name of the sub-collection alone means this task, too.

        Raises:
            ValueError: there is a task of that name already.
        """
        home = self._home(collection)
        wanted = name or task.name
        if self.transform(wanted) in home.tasks:
            raise ValueError(f"there is a task {collection + '.' if collection else ''}{wanted} already")
        home.add_task(task, name=name, default=default)

    def _home(self, name: str) -> Collection:
        if not name:
            return self
        if name not in self.collections:
            self.add_collection(Collection(name))
        found: Collection = self.collections[name]
        return found
