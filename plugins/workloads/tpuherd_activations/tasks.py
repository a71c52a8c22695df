"""The `activations.*` tasks."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from invoke.exceptions import Exit

from tpuherd import ConfigError, ExitCode
from tpuherd.tasks.command import command

if TYPE_CHECKING:
    from invoke.context import Context

    from tpuherd_activations.reading.dataset import Dataset

WHERE = "its folder or gs:// address, or the folder above if that holds one dataset only"


@command(positional=["dataset"], help={"dataset": f"A finished dataset: {WHERE}.", "json": "Print JSON."})
def show(_context: Context, dataset: str, json: bool = False) -> None:
    """Show what a dataset of activations holds: hooks, rows, documents, what was cut off."""
    from json import dumps

    from tpuherd_activations.totals import told

    found = _opened(dataset)
    about = found.about()
    hooks = "\n".join(f"{hook.name}  {list(hook.shape)}  {hook.kind}" for hook in found.hooks.values())
    sys.stdout.write(dumps(about) + "\n" if json else f"{told(about)}\n{hooks}\n")


@command(positional=["dataset"], help={"dataset": f"A finished dataset: {WHERE}.", "json": "Print JSON."})
def verify(_context: Context, dataset: str, json: bool = False) -> None:
    """Read every byte of a dataset and compare the checksums; exit code 11 if a file is damaged."""
    from json import dumps

    problems = _opened(dataset).verify()
    said = "\n".join(problems) or "all files are what the manifests say"
    sys.stdout.write((dumps({"problems": problems}) if json else said) + "\n")
    if problems:
        raise Exit(code=ExitCode.COMPARISON_FAILED)


@command(
    positional=["source", "target"],
    help={
        "source": "Folder of documents (.jsonl, .txt, .parquet, .arrow), on this machine or gs://.",
        "target": "New folder for the streams, likewise.",
        "streams": "How many: best a multiple of the number of workers.",
        "json": "Print JSON.",
    },
)
def create_streams(_context: Context, source: str, target: str, streams: int = 8, json: bool = False) -> None:
    """Spread documents over files of equal numbers, stream_000.jsonl and so on; their ids stay."""
    from json import dumps

    from tpuherd_activations.worker.errors import DatasetError
    from tpuherd_activations.worker.input.reading import all_records
    from tpuherd_activations.worker.input.streams import create_streams as create
    from tpuherd_activations.worker.places import open_place

    try:
        count = create(all_records(open_place(source)), streams, open_place(target))
    except DatasetError as error:
        raise ConfigError(str(error)) from error
    said = f"{count} documents in {streams} streams: {target}"
    sys.stdout.write((dumps({"documents": count, "streams": streams}) if json else said) + "\n")


def _opened(address: str) -> Dataset:
    from tpuherd_activations.reading.opening import open_dataset
    from tpuherd_activations.worker.errors import DatasetError

    try:
        return open_dataset(address, cache=None, unfinished=False)
    except DatasetError as error:
        raise ConfigError(str(error)) from error
