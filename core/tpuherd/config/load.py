"""From a job file to a checked `JobSpec`."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from tpuherd.config.assemble import job_model
from tpuherd.config.completion import complete
from tpuherd.config.document import parse
from tpuherd.config.files import read_job_file
from tpuherd.config.interpolation import interpolate
from tpuherd.config.overrides import apply
from tpuherd.config.plaintext import secrets_in
from tpuherd.config.problems import dotted, refuse
from tpuherd.config.validation import explain
from tpuherd.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tpuherd.config.document import Document
    from tpuherd.config.problems import KeyPath, Problem
    from tpuherd.config.section import ConfigSection
    from tpuherd.config.spec import JobSpec

IGNORED: tuple[KeyPath, ...] = (
    ("job", "id"),
    ("job", "user"),
    ("job", "dir"),
    ("tpu", "ips"),
    ("tpu", "num_workers"),
)
"""Keys that jobman writes back into its files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedJob:
    """A checked job file, and what belongs to it."""

    spec: JobSpec
    path: Path
    base_directory: Path
    """The folder of the file: relative paths in it start here."""
    digest: str
    """Hash of what the file means, with overrides; the same for another layout of the same values."""
    text: str
    """The file as it was written."""
    notes: tuple[str, ...] = ()
    """What the user may want to know: keys that were ignored."""


def load_job(path: Path, sections: Sequence[ConfigSection], overrides: Sequence[str] = ()) -> LoadedJob:
    """Read and check a job file.

    Args:
        path: The file.
        sections: The sections that installed plugins contribute.
        overrides: `KEY=VALUE` with dotted keys, which win over the file.

    Raises:
        ConfigError: Something is wrong with the file or an override; the message has one line for every
            problem, with file and line, dotted key, what was found and what is expected.
        PluginError: The sections contradict each other.
    """
    loaded = load_text(read_job_file(path), path, sections, overrides)
    _check_files(loaded)
    return loaded


def load_text(
    text: str, path: Path, sections: Sequence[ConfigSection], overrides: Sequence[str] = ()
) -> LoadedJob:
    """Check the text of a job file that was read earlier; files that it refers to may be gone by now.

    Args:
        text: The file's content.
        path: The file it came from.
        sections: As for `load_job`.
        overrides: As for `load_job`.

    Raises:
        ConfigError: As `load_job`, except for files that are not there.
        PluginError: The sections contradict each other.
    """
    model = job_model(sections)
    document = parse(text, str(path))
    apply(document, overrides)
    complete(document, path)
    interpolate(document)
    spec = _validated(document, model)
    return LoadedJob(
        spec=spec,
        path=path,
        base_directory=path.resolve().parent,
        digest=digest(spec),
        text=text,
        notes=tuple(str(note) for note in _notes(document)),
    )


def digest(spec: JobSpec) -> str:
    """Return a hash of everything that a job file says, defaults included."""
    values = spec.model_dump(mode="json", exclude_none=True)
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def _validated(document: Document, model: type[JobSpec]) -> JobSpec:
    """Check all values at once; a key with one problem is not reported for a second."""
    problems = [*document.problems, *secrets_in(document)]
    known = {problem.path for problem in problems}
    spec = None
    try:
        spec = model.model_validate_json(json.dumps(_without_empty(document.data)))
    except ValidationError as error:
        found = explain(error, model, document)
        problems += [problem for problem in found if problem.path not in known]
    refuse(problems)  # not in the handler: a traceback would show pydantic's error, and values with it
    assert spec is not None
    return spec


def _without_empty(data: dict[str, Any]) -> dict[str, Any]:
    """A section with all its keys commented out is `null` in YAML, and means its defaults."""
    return {key: value for key, value in data.items() if value is not None}


def _check_files(loaded: LoadedJob) -> None:
    """Every `Path` in a job file is a file on this machine, and has to be there before anything starts.

    Sections without effect are left alone: jobman's files load wherever they are.
    """
    missing = [
        f"{loaded.path}: {key}: there is no file {loaded.base_directory / path.expanduser()}"
        for key, path in _paths(loaded.spec, unused=loaded.spec.without_effect())
        if not (loaded.base_directory / path.expanduser()).is_file()
    ]
    if missing:
        raise ConfigError("\n".join(missing))


def _paths(section: BaseModel, prefix: str = "", unused: Sequence[str] = ()) -> Iterator[tuple[str, Path]]:
    for name, value in section:
        if name in unused:
            continue
        if isinstance(value, BaseModel):
            yield from _paths(value, f"{prefix}{name}.")
        elif isinstance(value, Path):
            yield f"{prefix}{name}", value


def _notes(document: Document) -> list[Problem]:
    written = [path for path in IGNORED if path[1] in (document.data.get(str(path[0])) or {})]
    return [document.problem(path, f"written by jobman, ignored ({dotted(path)})") for path in written]
