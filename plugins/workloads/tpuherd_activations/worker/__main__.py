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
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn
from uuid import uuid4

from .claims import Holder
from .errors import DatasetError, ModelError
from .output import layout
from .places import open_place
from .work import settings as settings_file
from .work.groups import group_of, join
from .work.running import Worker, run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .output.manifest import Manifest
    from .work.groups import Group
    from .work.settings import Settings

USAGE = 64
TERMINATED = 128 + signal.SIGTERM
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
    except SystemExit:  # JAX would now wait for the other workers, which are told to end as well
        sys.stdout.flush()
        os._exit(TERMINATED)
    return 0


def _run(file: Path) -> None:
    settings = settings_file.read(file)
    holder = _holder()
    with scratch_of(holder) as scratch:
        index, workers = (int(os.environ.get(f"TPUHERD_{name}", "0")) for name in ("WORKER", "WORKERS"))
        group = group_of(settings, index, workers or 1, scratch)
        join(group, settings)
        address = _made(settings, group, holder, scratch)
    if address:
        file.with_name(ADDRESS).write_text(address)
        sys.stdout.write(f"tpuherd: the dataset is finished: {address}\n")


def _made(settings: Settings, group: Group, holder: Holder, scratch: Path) -> str:
    """The dataset's address; empty for a worker that only helps the first of its group."""
    from .work.decoding import decoder_of

    decoder = decoder_of(settings, scratch)
    worker = Worker(
        holder=holder,
        index=group.index,
        workers=group.groups,
        scratch=scratch,
        lease_s=settings.lease_s,
        row_multiple=decoder.model.placement.row_parts,
    )
    make = partial(run, decoder.content, settings.input, settings.output, worker, decoder.encoder)
    if group.members == 1:
        return make(decoder, _tell, _going_on)
    from .work.together import Together

    together = Together(decoder)
    sys.stdout.write(f"tpuherd: {group.members} workers compute together: mesh {decoder.model.placement}\n")
    if group.member:
        signal.signal(
            signal.SIGTERM, signal.SIG_DFL
        )  # it holds nothing, and may be waiting where no handler runs
        together.follow(_helped)
        return ""
    try:
        address = make(together, _tell, _going_on)
    except Exception:
        together.end()
        raise
    together.end()
    return address


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


def _helped() -> None:
    sys.stdout.write("tpuherd: a batch is computed\n")
    sys.stdout.flush()


def _totals(file: Path) -> None:
    address = file.with_name(ADDRESS).read_text()
    about = json.loads(open_place(address).find(layout.DATASET) or b"{}")
    size = sum(of["size_bytes"] for shard in about["shards"] for of in shard["files"].values())
    found = {"address": address, "size_bytes": size, "shards": len(about["shards"]), **about["totals"]}
    sys.stdout.write(json.dumps(found))


def _leave(_signal: int, _frame: object) -> NoReturn:
    """Give claims back on the way out."""
    sys.exit(TERMINATED)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
