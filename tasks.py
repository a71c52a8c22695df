"""The tpuherd tasks for `inv`, run from this folder."""

from tpuherd.tasks.namespace import namespace

__all__ = ["namespace"]
