"""From a job file to a row in the store, and from the row to a job that hooks can work on."""

from __future__ import annotations

import getpass
import secrets
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd import paths
from tpuherd.config.load import LoadedJob, load_job, load_text
from tpuherd.config.secrets import variables
from tpuherd.engine.session import Session
from tpuherd.errors import ConfigError, StateError
from tpuherd.hooks import GlobalHooks, Hooks
from tpuherd.model.event import Event
from tpuherd.model.job import Attempt, Job
from tpuherd.providers import check_choices
from tpuherd.store.records import JobRecord, JobState

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pluggy import PluginManager

    from tpuherd.model.plan import PlanStep
    from tpuherd.output.reporter import Reporter
    from tpuherd.store.store import Store


def read_job_file(manager: PluginManager, path: Path, overrides: Sequence[str] = ()) -> LoadedJob:
    """Read and check a job file, the plugins it names, and what they say about it.

    Raises:
        ConfigError: anything is wrong with it; nothing was touched.
    """
    loaded = load_job(path, GlobalHooks(manager).config_sections(), overrides)
    check_choices(manager, loaded.spec, str(path))
    return loaded


def plan_steps(hooks: Hooks, file: str) -> list[PlanStep]:
    """What the chosen plugins would do; raises `ConfigError` if one knows that it cannot work."""
    try:
        return hooks.plan()
    except ConfigError as error:
        raise ConfigError(f"{file}: {error}") from error


def check_plan(manager: PluginManager, loaded: LoadedJob) -> None:
    """Refuse what the plugins know to be impossible, secrets that are not there, and what nobody carries out.

    Raises:
        ConfigError: file, key and reason; nothing was touched.
    """
    plan_steps(Hooks(manager, loaded.spec), str(loaded.path))
    _check_secrets(loaded)
    pending = loaded.spec.pending()
    if pending:
        raise ConfigError(f"{loaded.path}: no installed plugin carries out {', '.join(pending)}: take it out")


def _check_secrets(loaded: LoadedJob) -> None:
    """Read them and forget them: a slice is not to be paid for only to find out that one is missing."""
    try:
        variables(loaded.spec.env, loaded.base_directory)
    except ConfigError as error:
        raise ConfigError(f"{loaded.path}: {error}") from error


def find_or_create(store: Store, loaded: LoadedJob, overrides: Sequence[str], *, keep: bool) -> JobRecord:
    """The live job of this file, else a new one.

    Raises:
        StateError: a job of that name is live, but its file was different.
    """
    newest = store.jobs.newest(loaded.spec.job.name, getpass.getuser())
    if newest is None or newest.state.ended:
        return _create(store, loaded, overrides, keep=keep)
    if newest.digest != loaded.digest:
        raise StateError(
            f"job {newest.id} of the same name is live, but was made from another version of {loaded.path}.\n"
            f"Go on with it: `tpuherd resume {newest.id}`. End it: `tpuherd cancel {newest.id}`. "
            "Or give this one another name: `--override job.name=NAME`."
        )
    return newest


def _create(store: Store, loaded: LoadedJob, overrides: Sequence[str], *, keep: bool) -> JobRecord:
    job_id = f"{loaded.spec.job.name}-{secrets.token_hex(2)}"
    directory = paths.jobs_directory() / job_id
    directory.mkdir(parents=True, mode=0o700)
    record = JobRecord(
        id=job_id,
        name=loaded.spec.job.name,
        owner=getpass.getuser(),
        file=str(loaded.path),
        base_directory=str(loaded.base_directory),
        text=loaded.text,
        overrides=list(overrides),
        digest=loaded.digest,
        directory=str(directory),
        keep=keep,
        state=JobState.LIVE,
        wanted="run",
        attempt=1,
        created_at=time.time(),
        ended_at=None,
        exit_code=None,
        message="",
    )
    store.jobs.add(record)
    return record


def open_hooks(manager: PluginManager, record: JobRecord) -> Hooks:
    """The hooks of a stored job, from the job file as it was when the job was made."""
    loaded = load_text(
        record.text,
        Path(record.file),
        GlobalHooks(manager).config_sections(),
        [*record.overrides, f"job.name={record.name}"],
    )
    check_choices(manager, loaded.spec, record.file)
    return Hooks(manager, loaded.spec)


def open_session(store: Store, hooks: Hooks, record: JobRecord, reporter: Reporter) -> Session:
    """The live services for a job in this process."""
    return Session(reporter, paths.known_hosts(record.id), _publisher(store, hooks, record, reporter))


def open_job(store: Store, hooks: Hooks, record: JobRecord, session: Session) -> Job:
    """Connect the job's cloud and make the value that hooks get."""
    newest = store.jobs.attempts(record.id)[-1]
    return Job(
        id=record.id,
        owner=record.owner,
        spec=hooks.spec,
        directory=Path(record.directory),
        base_directory=Path(record.base_directory),
        attempt=Attempt(number=newest.number, zone=newest.zone, resume=newest.resume),
        cloud=hooks.connect_cloud(job_id=record.id),
        session=session,
    )


def _publisher(
    store: Store, hooks: Hooks, record: JobRecord, reporter: Reporter
) -> Callable[[str, str], None]:
    def publish(kind: str, text: str) -> None:
        attempt = store.jobs.get(record.id).attempt
        event = Event(job_id=record.id, attempt=attempt, kind=kind, text=text, at=time.time())
        store.events.add(event)
        reporter.event(event)
        hooks.on_event(event)

    return publish
