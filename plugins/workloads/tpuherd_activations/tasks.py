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
    """Show what a dataset of activations holds: rows, documents, what was cut off, hooks with statistics.

    `mean` and `std` are of all numbers of a hook, `norm` is the mean Euclidean norm of a row. Those of every
    feature: `tpuherd_activations.open(…).statistics(hook)`.
    """
    from dataclasses import asdict
    from json import dumps

    from tpuherd.output.tables import print_table
    from tpuherd_activations.figures import figures_of
    from tpuherd_activations.totals import told

    found = _opened(dataset)
    about = found.about()
    figures = {name: figures_of(found, name) for name in found.hooks}
    if json:
        hooks = {name: asdict(found.hooks[name]) | asdict(figures[name]) for name in found.hooks}
        sys.stdout.write(dumps({**about, "hooks": hooks}) + "\n")
        return
    sys.stdout.write(f"{told(about)}\n")
    rows = [(hook, figures[hook.name]) for hook in found.hooks.values()]
    print_table(
        ("hook", "shape", "kind", "mean", "std", "norm"),
        [(h.name, list(h.shape), h.kind, f"{f.mean:.4g}", f"{f.std:.4g}", f"{f.norm:.4g}") for h, f in rows],
    )


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
        "source": "Folder of documents (.jsonl, .txt, both also .gz; .parquet, .arrow), here or gs://.",
        "target": "New folder for the streams, likewise.",
        "streams": "How many: best a multiple of the number of workers.",
        "json": "Print JSON.",
    },
)
def create_streams(_context: Context, source: str, target: str, streams: int = 8, json: bool = False) -> None:
    """Spread documents over files of equal numbers, stream_000.jsonl and so on; their ids stay."""
    from json import dumps

    from tpuherd_activations.worker.errors import DatasetError
    from tpuherd_activations.worker.input.files import left_out, told_left_out
    from tpuherd_activations.worker.input.reading import all_records
    from tpuherd_activations.worker.input.streams import create_streams as create
    from tpuherd_activations.worker.places import open_place

    try:
        count = create(all_records(open_place(source)), streams, open_place(target))
        passed_over = left_out(open_place(source))
    except DatasetError as error:
        raise ConfigError(str(error)) from error
    said = f"{count} documents in {streams} streams: {target}"
    if passed_over:
        sys.stderr.write(f"{source}: {told_left_out(passed_over)}\n")
    sys.stdout.write((dumps({"documents": count, "streams": streams}) if json else said) + "\n")


@command(
    positional=["dataset", "target"],
    help={
        "dataset": f"A finished dataset: {WHERE}.",
        "target": "A new folder on this machine.",
        "to": "`npy`: one file per hook and per index. `huggingface`: a dataset with SAELens' columns.",
        "hooks": "Names or globs, with commas between them; default: all.",
        "context": "Tokens per row of a Hugging Face dataset; best what your SAE trainer is set to.",
        "json": "Print JSON.",
    },
)
def export(
    _context: Context,
    dataset: str,
    target: str,
    to: str = "npy",
    hooks: str = "*",
    context: int = 512,
    json: bool = False,
) -> None:
    """Write a dataset in a format of others: arrays for numpy, or a Hugging Face dataset as of SAELens.

    `--to npy` makes `HOOK.npy` [rows, …] for each hook, and `token_ids`, `document_ids`, `positions` and
    `prompts` [rows]. `--to huggingface` makes what `datasets.load_from_disk` reads: a column per hook,
    [context, width], and `token_ids` [context]; it needs `pip install datasets`. Neither format has bfloat16:
    both get float32, twice as large. The target appears when all is in it; one that exists is never changed,
    and a disk that is too small is refused before anything is written.

    tpuherd activations.export out/ arrays/ --hooks 'blocks.6.*'
    tpuherd activations.export gs://bucket/out for-saelens/ --to huggingface --context 1024
    """
    from json import dumps

    from tpuherd_activations.exporting.choosing import exported
    from tpuherd_activations.worker.errors import DatasetError

    try:
        done = exported(_opened(dataset), target, to, hooks, context)
    except DatasetError as error:
        raise ConfigError(str(error)) from error
    sys.stdout.write((dumps(done.values()) if json else done.told()) + "\n")


def _opened(address: str) -> Dataset:
    from tpuherd_activations.reading.opening import open_dataset
    from tpuherd_activations.worker.errors import DatasetError

    try:
        return open_dataset(address, cache=None, unfinished=False)
    except DatasetError as error:
        raise ConfigError(str(error)) from error
