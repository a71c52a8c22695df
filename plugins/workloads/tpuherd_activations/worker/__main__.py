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

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .output.manifest import Manifest

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
    holder = _holder()
    with scratch_of(holder) as scratch:
        decoder = decoder_of(settings, scratch)
        worker = Worker(
            holder=holder,
            index=int(os.environ.get("TPUHERD_WORKER", "0")),
            workers=int(os.environ.get("TPUHERD_WORKERS", "1")),
            scratch=scratch,
            lease_s=settings.lease_s,
            row_multiple=decoder.model.placement.row_parts,
        )
        address = run(
            decoder.content,
            settings.input,
            settings.output,
            worker,
            decoder.encoder,
            decoder,
            _tell,
            _going_on,
        )
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
