"""Documents of this machine, put where the workers read them."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd import WorkloadError
from tpuherd_activations.config import ActivationsSection

if TYPE_CHECKING:
    from tpuherd import Job

KIND = "activations"

_LOCK = threading.Lock()
_DONE: set[tuple[str, str, int]] = set()
"""What this process has seen to: the members of a fleet have the same input."""


def put_input(job: Job) -> None:
    """Spread `local_input` over files in `input`; what is there already stays.

    Raises:
        WorkloadError: the documents cannot be read, or other files lie there.
    """
    if job.spec.workload.kind != KIND:
        return
    section = job.spec.section(ActivationsSection)
    if section.local_input is None:
        return
    what = (str(local_folder(section.local_input, job.base_directory)), section.input, section.streams)
    with _LOCK:
        if what not in _DONE:
            _put(job, *what)
            _DONE.add(what)


def local_folder(name: str, base_directory: Path) -> Path:
    """The folder of documents on this machine."""
    return base_directory / Path(name).expanduser()


def _put(job: Job, source: str, target: str, streams: int) -> None:
    from tpuherd_activations.looking import place_of
    from tpuherd_activations.worker.errors import DatasetError
    from tpuherd_activations.worker.input.files import left_out, told_left_out
    from tpuherd_activations.worker.input.reading import all_records
    from tpuherd_activations.worker.input.streams import put_streams
    from tpuherd_activations.worker.places import open_place

    try:
        place = place_of(target, job.cloud)
        count = put_streams(all_records(open_place(source)), streams, place)
        passed_over = left_out(open_place(source))
    except DatasetError as error:
        raise WorkloadError(f"activations.local_input: {error}") from error
    job.session.note(f"{count} documents in {streams} files: {target}")
    if passed_over:
        job.session.note(f"{source}: {told_left_out(passed_over)}")
