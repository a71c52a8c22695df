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

from .errors import DatasetError, ModelError
from .output.finishing import totals_of
from .places import open_place
from .work import settings as settings_file
from .work.groups import group_of, join
from .work.making import ADDRESS, holder, make, make_together, place_in_slices

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .claims import Holder

USAGE = 64
TERMINATED = 128 + signal.SIGTERM


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
    from .work.decoding import decoder_of

    settings = settings_file.read(file)
    with scratch_of(holder()) as scratch:
        group = group_of(settings, *place_in_slices(), scratch)
        join(group, settings)
        decoder = decoder_of(settings, scratch)
        if group.members > 1:
            make_together(file, settings, scratch, group, decoder)
        else:
            make(file, settings, scratch, group, decoder, decoder)


@contextmanager
def scratch_of(who: Holder) -> Iterator[Path]:
    """A worker's folder for temporary files; what its killed predecessor has left there is removed first."""
    folder = Path(tempfile.gettempdir()) / f"tpuherd-activations-{who.job}-{who.worker}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _totals(file: Path) -> None:
    sys.stdout.write(json.dumps(totals_of(open_place(file.with_name(ADDRESS).read_text()))))


def _leave(_signal: int, _frame: object) -> NoReturn:
    """Give claims back on the way out."""
    sys.exit(TERMINATED)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
