"""One worker's part of a run, as the variables of its environment say."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING
from uuid import uuid4

from ..claims import Holder
from ..input.files import left_out, told_left_out
from ..places import open_place
from .running import Worker, run
from .standing import ProgressFile

if TYPE_CHECKING:
    from pathlib import Path

    from ..output.manifest import Manifest
    from .decoding import Decoder
    from .groups import Group
    from .pipeline import Forward
    from .settings import Settings

ADDRESS = "dataset.txt"
"""In the attempt's folder: where the dataset is."""


def place_in_slices() -> tuple[int, int]:
    """Which worker of its job this is, and of how many."""
    return number("TPUHERD_WORKER", 0), number("TPUHERD_WORKERS", 1)


def make(
    file: Path,
    settings: Settings,
    scratch: Path,
    group: Group,
    decoder: Decoder,
    forward: Forward,
) -> None:
    """Help to make a dataset as the worker that the environment's variables say.

    Args:
        file: The settings' file; beside it is what the agent reads about progress, and the dataset's address.
        settings: Where input and output are, and how long leases are.
        scratch: A folder for temporary files.
        group: The workers that hold the model.
        decoder: The model and the tokenizer.
        forward: Computes a batch: the decoder, or its group.
    """
    progress = ProgressFile(file.with_name("progress.json"))

    def tell(shard: Manifest, total: int) -> None:
        progress.committed(shard)
        _tell(shard, total)

    placement = decoder.model.placement
    worker = Worker(
        holder=holder(),
        index=number("TPUHERD_MEMBER", 0) * group.groups + group.index,
        workers=number("TPUHERD_MEMBERS", 1) * group.groups,
        scratch=scratch,
        lease_s=settings.lease_s,
        row_multiple=placement.row_parts,
        abreast=placement.abreast,
    )
    if worker.index == 0:
        _name_left_out(settings.input)
    what = (decoder.content, settings.input, settings.output)
    address = run(*what, worker, decoder.encoder, forward, tell, _going_on, progress.standing)
    file.with_name(ADDRESS).write_text(address)
    sys.stdout.write(f"tpuherd: the dataset is finished: {address}\n")


def make_together(file: Path, settings: Settings, scratch: Path, group: Group, decoder: Decoder) -> None:
    """The first of a group says what is computed, and writes it; the others only help it."""
    from .together import Together

    together = Together(decoder)
    sys.stdout.write(f"tpuherd: {group.members} workers compute together: mesh {decoder.model.placement}\n")
    if group.member:
        # it holds nothing, and may be waiting where no handler runs
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        together.follow(_helped)
        return
    try:
        make(file, settings, scratch, group, decoder, together)
    except Exception:
        together.end()
        raise
    together.end()


def number(variable: str, default: int) -> int:
    """Of the environment."""
    return int(os.environ.get(variable, default))


def holder() -> Holder:
    """Who this process is to others that want the same parts."""
    return Holder(
        job=os.environ.get("TPUHERD_JOB_ID", uuid4().hex),
        worker=os.environ.get("TPUHERD_WORKER", "0"),
        attempt=int(os.environ.get("TPUHERD_ATTEMPT", "1")),
    )


def _name_left_out(source: str) -> None:
    if said := told_left_out(left_out(open_place(source))):
        sys.stdout.write(f"tpuherd: {source}: {said}\n")
        sys.stdout.flush()


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
