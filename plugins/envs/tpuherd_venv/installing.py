"""Making the virtual environment on every worker."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from typing import TYPE_CHECKING

from tpuherd import ConfigError, Environment, PrepareError
from tpuherd.remote import quote
from tpuherd_venv.config import VenvSection

if TYPE_CHECKING:
    from tpuherd import Allocation, Job, Worker
    from tpuherd.remote import FanOut, Line

KEY_LENGTH = 16
TOLD = ("Resolved", "Prepared", "Installed", "Downloading", "Building")
"""How the lines of uv begin that say how far it is."""


def install(job: Job, allocation: Allocation) -> Environment:
    """Run the install script on all workers; it does nothing where the environment is finished.

    Raises:
        PrepareError: it failed on some worker, or the workers ended up with different versions.
    """
    venv = job.spec.section(VenvSection)
    wanted = _requirements(job, venv)
    key = _key(venv.python_version, wanted, allocation.incarnation)
    folder = f"{venv.name}-{key}"
    job.session.note(
        f"{venv.name}: Python {venv.python_version}, on {len(allocation.workers)} workers at once"
    )
    done = job.session.workers(allocation, job.cloud.ssh).run(
        quote(["bash", "-c", _script(), "tpuherd", folder, venv.python_version]),
        stdin=wanted.encode(),
        timeout_s=venv.install_timeout_s,
        on_line=lambda worker, line: _tell(job, worker, line),
    )
    done.require(PrepareError, "making the virtual environment")
    return Environment(
        kind="venv",
        key=key,
        variables={"VIRTUAL_ENV": f"$HOME/.tpuherd/venvs/{folder}"},
        path_entries=(f"$HOME/.tpuherd/venvs/{folder}/bin",),
        versions=_same_versions(done),
    )


def _script() -> str:
    return files("tpuherd_venv").joinpath("install.sh").read_text()


def _requirements(job: Job, venv: VenvSection) -> str:
    """All requirements as one text: the file's, then the list's."""
    listed = "\n".join(venv.packages) + "\n"
    if venv.requirements_file is None:
        return listed
    path = job.base_directory / venv.requirements_file
    try:
        return path.read_text() + "\n" + listed
    except OSError as error:
        raise ConfigError(f"venv.requirements_file: cannot read {path}: {error.strerror}") from error


def _key(*inputs: str) -> str:
    return hashlib.sha256("\0".join(inputs).encode()).hexdigest()[:KEY_LENGTH]


def _tell(job: Job, worker: Worker, line: Line) -> None:
    """Worker 0 stands for all while they do the same; uv's list of packages is in the store."""
    text = line.text.strip()
    if worker.index == 0 and line.stream == "stderr" and text.startswith(TOLD):
        job.session.note(f"{worker.name}: {text}")


def _same_versions(done: FanOut) -> dict[str, str]:
    """The versions on worker 0, if all workers have the same.

    Raises:
        PrepareError: some differ; worker, package and versions are named.
    """
    first, *others = [_versions(result.stdout) for result in done.results]
    for result, found in zip(done.results[1:], others, strict=True):
        for name in sorted(first.keys() | found.keys()):
            if first.get(name) != found.get(name):
                raise PrepareError(
                    f"workers have different versions of {name}: w0 {first.get(name)}, "
                    f"{result.worker.name} {found.get(name)}; pin it in the job file's `venv` section"
                )
    return first


def _versions(frozen: str) -> dict[str, str]:
    pairs = (line.partition("==") for line in frozen.splitlines())
    return {name: version for name, mark, version in pairs if mark}
