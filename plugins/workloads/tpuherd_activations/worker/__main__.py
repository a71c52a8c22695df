"""On a worker: `python -m PACKAGE run SETTINGS` makes a dataset, `totals` prints what it holds as JSON.

`run` helps to make the dataset until it is there, and may be started on any number of workers. Exit codes: 0,
64 wrong words, 1 something is wrong with settings, input, model or place.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn
from uuid import uuid4

from .claims import Holder
from .errors import DatasetError, ModelError
from .output import layout
from .places import open_place
from .work import settings as settings_file
from .work.running import Worker, run
from .work.standing import ProgressFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .input.encoding import Encoder
    from .output.manifest import Manifest
    from .work.dataset import Content
    from .work.pipeline import Forward
    from .work.settings import Settings

USAGE = 64
ADDRESS = "dataset.txt"
"""In the attempt's folder: where the dataset is."""


def main(argv: list[str]) -> int:
    """Do what the words say; returns the exit code."""
    if len(argv) != 2 or argv[0] not in {"run", "totals"}:
        sys.stderr.write("usage: run SETTINGS | totals SETTINGS\n")
        return USAGE
    signal.signal(signal.SIGTERM, _leave)
    try:
        (_run if argv[0] == "run" else _totals)(Path(argv[1]))
    except (DatasetError, ModelError) as error:
        sys.stderr.write(f"tpuherd: {error}\n")
        return 1
    return 0


def _run(file: Path) -> None:
    from .work.decoding import decoder_of

    settings = settings_file.read(file)
    with scratch_of(_holder()) as scratch:
        decoder = decoder_of(settings, scratch)
        rows = decoder.model.placement.row_parts
        make(file, settings, scratch, decoder.content, decoder.encoder, decoder, rows)


def make(
    file: Path,
    settings: Settings,
    scratch: Path,
    content: Content,
    encoder: Encoder,
    forward: Forward,
    row_multiple: int = 1,
) -> None:
    """Help to make a dataset as the worker that the environment's variables say.

    Args:
        file: The settings' file; beside it is what the agent reads about progress, and the dataset's address.
        settings: Where input and output are, and how long leases are.
        scratch: A folder for temporary files.
        content: What the dataset is made of.
        encoder: For its documents.
        forward: The model.
        row_multiple: Rows of a batch are a multiple of it.
    """
    workers, progress = _number("TPUHERD_WORKERS", 1), ProgressFile(file.with_name("progress.json"))

    def tell(shard: Manifest, total: int) -> None:
        progress.committed(shard)
        _tell(shard, total)

    worker = Worker(
        holder=_holder(),
        index=_number("TPUHERD_MEMBER", 0) * workers + _number("TPUHERD_WORKER", 0),
        workers=_number("TPUHERD_MEMBERS", 1) * workers,
        scratch=scratch,
        lease_s=settings.lease_s,
        row_multiple=row_multiple,
    )
    place = (settings.input, settings.output)
    address = run(content, *place, worker, encoder, forward, tell, _going_on, progress.standing)
    file.with_name(ADDRESS).write_text(address)
    sys.stdout.write(f"tpuherd: the dataset is finished: {address}\n")


@contextmanager
def scratch_of(holder: Holder) -> Iterator[Path]:
    """A worker's folder for temporary files; what its killed predecessor has left there is removed first."""
    folder = Path(tempfile.gettempdir()) / f"tpuherd-activations-{holder.job}-{holder.worker}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _number(variable: str, default: int) -> int:
    return int(os.environ.get(variable, default))


def _holder() -> Holder:
    return Holder(
        job=os.environ.get("TPUHERD_JOB_ID", uuid4().hex),
        worker=os.environ.get("TPUHERD_WORKER", "0"),
        attempt=int(os.environ.get("TPUHERD_ATTEMPT", "1")),
    )


def _tell(shard: Manifest, total: int) -> None:
    sys.stdout.write(
        f"tpuherd: shard {shard.part + 1} of {total}: {shard.rows} rows, {shard.tokens} tokens\n"
    )
    sys.stdout.flush()


def _going_on(shards: int, total: int) -> None:
    attempt = os.environ.get("TPUHERD_ATTEMPT", "1")
    sys.stdout.write(f"tpuherd: attempt {attempt} goes on where {shards} of {total} shards are there\n")
    sys.stdout.flush()


def _totals(file: Path) -> None:
    address = file.with_name(ADDRESS).read_text()
    about = json.loads(open_place(address).find(layout.DATASET) or b"{}")
    size = sum(of["size_bytes"] for shard in about["shards"] for of in shard["files"].values())
    found = {"address": address, "size_bytes": size, "shards": len(about["shards"]), **about["totals"]}
    sys.stdout.write(json.dumps(found))


def _leave(_signal: int, _frame: object) -> NoReturn:
    """Give claims back on the way out."""
    sys.exit(128 + signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
