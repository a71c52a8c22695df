"""Bringing the results of a finished attempt home."""

from __future__ import annotations

import io
import shlex
import tarfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from tpuherd import CollectedResults, WorkloadError
from tpuherd.remote.environment import command_in
from tpuherd_orbax_benchmark import documents, plot, table
from tpuherd_orbax_benchmark.launching import PACKAGE
from tpuherd_orbax_benchmark.results import Run

if TYPE_CHECKING:
    from pathlib import Path

    from tpuherd import Allocation, Environment, Job, SyncedCode, WorkloadExit


def bring_home(
    job: Job, allocation: Allocation, environment: Environment, code: SyncedCode, end: WorkloadExit
) -> CollectedResults:
    """Collect on worker 0, and write the files below the attempt's folder.

    Raises:
        WorkloadError: there are no results, or they cannot be read.
    """
    target = job.attempt_directory / "results"
    target.mkdir(parents=True, exist_ok=True)
    worker = _Worker(job, allocation, environment, code, end.output_directory)
    with ThreadPoolExecutor(2) as pool:
        document, archive = pool.map(worker.output_of, ("collect", "pack"))
    results = documents.from_collected(document.decode(), _run(job, allocation, code))
    (target / "results.json").write_text(documents.to_json(results))
    (target / "results.csv").write_text(documents.to_csv(results))
    plot.draw(results, target / "results.png")
    _unpack(archive, target)
    summary = table.render(results).rstrip()
    return CollectedResults(directory=str(target), files=_files(target), summary=summary)


class _Worker:
    """The worker that gathers: the first, like every other it sees the output of all."""

    def __init__(
        self, job: Job, allocation: Allocation, environment: Environment, code: SyncedCode, output: str
    ) -> None:
        self._remote = job.session.workers(allocation, job.cloud.ssh)
        self._environment = environment
        self._code = code
        self._attempt = shlex.quote(job.attempt_id)
        self._output = shlex.quote(output)

    def output_of(self, command: str) -> bytes:
        """What a command of the worker side prints."""
        folder = f'"$HOME"/.tpuherd/attempts/{self._attempt}'
        script = f"PYTHONPATH={folder} exec python -m {PACKAGE} {command} {self._output}"
        line = command_in(self._environment, self._code, script)
        with self._remote.open_stream(0, line) as stream:
            output = b"".join(stream)
            if stream.exit_code != 0:
                raise WorkloadError(f"w0: {command} of the results failed: {stream.stderr.strip()}")
        return output


def _unpack(archive: bytes, target: Path) -> None:
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as packed:
        packed.extractall(target, filter="data")


def _run(job: Job, allocation: Allocation, code: SyncedCode) -> Run:
    return Run(
        job_id=job.id,
        attempt=job.attempt.number,
        accelerator=allocation.accelerator,
        zone=allocation.zone,
        commit=code.commit,
        dirty=code.dirty,
    )


def _files(target: Path) -> tuple[PurePosixPath, ...]:
    found = (path for path in target.rglob("*") if path.is_file())
    return tuple(sorted(PurePosixPath(path.relative_to(target).as_posix()) for path in found))
