"""Which hook points one pass gives back."""

from __future__ import annotations

from dataclasses import dataclass

from . import points


@dataclass(frozen=True, slots=True, kw_only=True)
class Taps:
    """A choice of hook points of one model.

    Attributes:
        names: The hooks, in the order in which they are computed.
        layers: How many blocks the model has.
    """

    names: tuple[str, ...]
    layers: int

    @property
    def blocks(self) -> int:
        """How many blocks have to run: none after the deepest hook, and not the one that it only enters."""
        if self.final:
            return self.layers
        return max((self._needed(index) for index in range(self.layers)), default=0)

    @property
    def final(self) -> frozenset[str]:
        """The points of the final norm."""
        return frozenset(point for point in points.FINAL if points.final(point) in self.names)

    def block(self, index: int) -> frozenset[str]:
        """The points of one block."""
        return frozenset(point for point in points.BLOCK if points.block(index, point) in self.names)

    def computed(self, index: int) -> frozenset[str]:
        """The points that a block has to compute: those asked for, and the stream if something follows."""
        after = (
            index + 1 < self.blocks or self.final or points.block(index + 1, points.RESID_PRE) in self.names
        )
        return self.block(index) - {points.RESID_PRE} | (
            frozenset({points.RESID_POST}) if after else frozenset()
        )

    def _needed(self, index: int) -> int:
        asked = self.block(index)
        if not asked:
            return 0
        return index if asked == {points.RESID_PRE} else index + 1
