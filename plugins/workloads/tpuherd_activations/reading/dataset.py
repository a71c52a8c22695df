"""A dataset of activations, as its users see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tpuherd_activations.reading.rows import Framework, Rows, converted
from tpuherd_activations.reading.shards import INDEX
from tpuherd_activations.reading.shuffling import ahead, in_batches, in_groups
from tpuherd_activations.worker.errors import PlaceError
from tpuherd_activations.worker.output import manifest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from tpuherd_activations.reading.shards import Shards
    from tpuherd_activations.worker.output.hooks import Hook

MIX = 8
"""Shards whose rows are shuffled together."""
PREFETCH = 4
"""Batches that are ready before they are asked for."""


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """Token rows in the order of the input's documents; nothing is read before it is used.

    Attributes:
        config: What it was made of.
        hooks: By name, what each stores.
        shards: Its files.
    """

    config: Mapping[str, Any]
    hooks: Mapping[str, Hook]
    shards: Shards

    def __len__(self) -> int:
        return int(self.shards.begins[-1])

    @property
    def totals(self) -> dict[str, int]:
        """Documents, rows, tokens, and what was truncated or dropped."""
        found = self.shards.manifests
        return {name: sum(getattr(shard, name) for shard in found) for name in manifest.COUNTS}

    def about(self) -> dict[str, Any]:
        """Totals, with address, shards and size."""
        found = self.shards.manifests
        size = sum(file.size_bytes for shard in found for file in shard.files.values())
        return {"address": self.shards.address, "size_bytes": size, "shards": len(found), **self.totals}

    def statistics(self, hook: str) -> dict[str, NDArray[np.float32]]:
        """`mean` and `std` [...] and the mean `norm` [1] of a hook's rows; raises `PlaceError`."""
        self.known([hook])
        return {what: self.shards.statistics(f"{hook}.{what}") for what in ("mean", "std", "norm")}

    def take(
        self, rows: ArrayLike, hooks: Sequence[str] | None = None, framework: Framework = "numpy"
    ) -> Rows:
        """Rows by their numbers, in the order given.

        Args:
            rows: [any], whole numbers, from 0.
            hooks: All if None.
            framework: Whose arrays activations are.

        Raises:
            IndexError: there is no such row.
            PlaceError: there is no such hook, or a file is missing or damaged.
        """
        wanted = np.atleast_1d(np.asarray(rows, np.int64))
        if len(wanted) and not (wanted.min() >= 0 and wanted.max() < len(self)):
            raise IndexError(f"rows {wanted.min()} to {wanted.max()}: there are {len(self)}")
        names = self.known(hooks)
        stored = self._gathered(wanted, names)
        return Rows(
            activations={hook: converted(stored[hook], self.hooks[hook].kind, framework) for hook in names},
            **{name: stored[name] for name in INDEX},
        )

    def batches(
        self,
        size: int,
        hooks: Sequence[str] | None = None,
        *,
        seed: int | None = 0,
        mix: int = MIX,
        framework: Framework = "numpy",
        prefetch: int = PREFETCH,
    ) -> Iterator[Rows]:
        """All rows once, shuffled; a thread reads ahead. The same seed gives the same order.

        Args:
            size: Rows of a batch; the last has what is left.
            hooks: All if None; of the others nothing is read.
            seed: None gives the rows in their order.
            mix: Shards of which rows are mixed. They are chosen at random; more is better mixed, and reads
                from more files at a time.
            framework: Whose arrays activations are.
            prefetch: Batches that are ready before they are asked for.

        Raises:
            PlaceError: there is no such hook, or a file is missing or damaged.
        """
        names = self.known(hooks)
        self.shards.keep(2 * mix)
        order = in_batches(in_groups(self.shards.begins, mix, seed), size)
        yield from ahead((self.take(rows, names, framework) for rows in order), prefetch)

    def verify(self) -> list[str]:
        """Read every byte, and say which files are not what the manifests say."""
        return self.shards.problems()

    def stored(self, hooks: Sequence[str] | None = None) -> Iterator[dict[str, NDArray[Any]]]:
        """Shard by shard, views of what is stored: hooks (bfloat16 as its bits) and `INDEX`."""
        names = self.known(hooks)
        for shard in range(len(self.shards.manifests)):
            yield self.shards.rows(shard, names)

    def _gathered(self, wanted: NDArray[np.int64], hooks: Sequence[str]) -> dict[str, NDArray[Any]]:
        owners = np.searchsorted(self.shards.begins, wanted, side="right") - 1
        found: dict[str, NDArray[Any]] = {}
        for shard in np.unique(owners):
            here = np.flatnonzero(owners == shard)
            local = wanted[here] - self.shards.begins[shard]
            for name, view in self.shards.rows(int(shard), hooks).items():
                whole = found.setdefault(name, np.empty((len(wanted), *view.shape[1:]), view.dtype))
                whole[here] = view[local]
        return found or {name: view[:0] for name, view in self.shards.rows(0, hooks).items()}

    def known(self, hooks: Sequence[str] | None) -> list[str]:
        """The hooks that are named, all if None; raises `PlaceError` if there is no such hook."""
        for hook in hooks or ():
            if hook not in self.hooks:
                raise PlaceError(f"there is no hook {hook!r}; the dataset has {', '.join(self.hooks)}")
        return list(self.hooks if hooks is None else hooks)
