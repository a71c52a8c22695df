"""The numbers by which the kernel knows paths."""

from __future__ import annotations


class Tree:
    """Paths and the numbers by which the kernel knows them."""

    def __init__(self) -> None:
        self.paths = {1: ""}

    def number(self, path: str) -> int:
        for number, known in self.paths.items():
            if known == path:
                return number
        number = max(self.paths) + 1
        self.paths[number] = path
        return number
