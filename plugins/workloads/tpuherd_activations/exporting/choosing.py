"""What somebody at a command line wants exported, and how."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tpuherd.config.choices import listed, nearest
from tpuherd_activations.exporting.huggingface import to_huggingface
from tpuherd_activations.exporting.npy import to_npy
from tpuherd_activations.exporting.telling import Tenths
from tpuherd_activations.worker.errors import DatasetError

if TYPE_CHECKING:
    from tpuherd_activations.reading.dataset import Dataset

FORMATS = ("npy", "huggingface")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What was written.

    Attributes:
        target: Its folder.
        rows: Of the dataset that are in it.
        left_out: Rows that did not fill a last context.
        hooks: Which.
    """

    target: str
    rows: int
    left_out: int
    hooks: tuple[str, ...]

    def values(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    def told(self) -> str:
        """In words."""
        left = f"; {self.left_out:,} did not fill a last context" if self.left_out else ""
        return f"{self.rows:,} rows of {listed(self.hooks)}{left}: {self.target}"


def exported(dataset: Dataset, target: str, to: str, hooks: str, context: int) -> Exported:
    """Export, and say on the way how far it is.

    Args:
        dataset: What.
        target: A new folder.
        to: One of `FORMATS`.
        hooks: Names or globs, with commas between them.
        context: Tokens per row of a Hugging Face dataset.

    Raises:
        DatasetError: one of these is wrong, or see `to_npy` and `to_huggingface`.
    """
    if to not in FORMATS:
        raise DatasetError(f"--to={to}: there is no such format; {nearest(to, FORMATS)}")
    names = _matching(dataset, hooks)
    tell, folder, left = Tenths(len(dataset)), Path(target), 0
    if to == "npy":
        to_npy(dataset, folder, names, tell)
    else:
        left = to_huggingface(dataset, folder, context, names, tell)
    return Exported(target=str(folder), rows=len(dataset) - left, left_out=left, hooks=tuple(names))


def _matching(dataset: Dataset, globs: str) -> list[str]:
    wanted = [glob.strip() for glob in globs.split(",")]
    for glob in wanted:
        if not any(fnmatchcase(name, glob) for name in dataset.hooks):
            raise DatasetError(f"--hooks={globs}: {glob!r} matches none; {nearest(glob, dataset.hooks)}")
    return [name for name in dataset.hooks if any(fnmatchcase(name, glob) for glob in wanted)]
