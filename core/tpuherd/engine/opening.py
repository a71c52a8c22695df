"""Reading and checking a job file, and from a job's row in the store to a job that hooks can work on."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd import paths
from tpuherd.config.load import LoadedJob, load_job, load_text
from tpuherd.config.secrets import variables
from tpuherd.engine.attempts import current_attempt
from tpuherd.engine.forwarding import port_steps
from tpuherd.engine.session import Session
from tpuherd.engine.tenure import Tenure
from tpuherd.errors import ConfigError
from tpuherd.hooks import GlobalHooks, Hooks
from tpuherd.model.cloud import Cloud, SshAccess
from tpuherd.model.event import WORKLOAD_STARTED, Event
from tpuherd.model.job import Job
from tpuherd.providers import check_choices

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pluggy import PluginManager

    from tpuherd.config.spec import JobSpec
    from tpuherd.model.allocation import Allocation
    from tpuherd.model.job import Attempt
    from tpuherd.model.observation import SliceObservation
    from tpuherd.model.plan import PlanStep
    from tpuherd.output.reporter import Reporter
    from tpuherd.store.records import JobRecord
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
        return [*hooks.plan(Path(file).resolve().parent), *port_steps(hooks.spec)]
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


def stored_spec(manager: PluginManager, record: JobRecord) -> JobSpec:
    """The job file as it was when the job was made, for who only looks: what it names need not be here."""
    named = [*record.overrides, f"job.name={record.name}"]
    return load_text(record.text, Path(record.file), GlobalHooks(manager).config_sections(), named).spec


def open_hooks(manager: PluginManager, record: JobRecord) -> Hooks:
    """The hooks of a stored job, from the job file as it was when the job was made."""
    spec = stored_spec(manager, record)
    check_choices(manager, spec, record.file)
    return Hooks(manager, spec)


def open_session(store: Store, hooks: Hooks, record: JobRecord, reporter: Reporter) -> Session:
    """The live services for a job in this process."""
    tenure = Tenure(store_id=store.settings.store_id, begin=lambda: store.tenures.begin(record.id))
    publish = _publisher(store, hooks, record, reporter)
    started = partial(_has_started, store, record.id)
    return Session(reporter, paths.known_hosts(record.id), publish, tenure, _observer(hooks), started)


def open_job(store: Store, hooks: Hooks, record: JobRecord, session: Session) -> Job:
    """Connect the job's cloud and make the value that hooks get."""
    paper = job_on_paper(hooks, record, session, current_attempt(store, record.id))
    return replace(paper, cloud=hooks.connect_cloud(job_id=record.id))


def job_on_paper(hooks: Hooks, record: JobRecord, session: Session, attempt: Attempt) -> Job:
    """The value that hooks get, without a cloud: enough for those that only decide."""
    nobody = SshAccess(user="", private_key="", public_key="")
    return Job(
        id=record.id,
        owner=record.owner,
        spec=hooks.spec,
        directory=Path(record.directory),
        base_directory=Path(record.base_directory),
        attempt=attempt,
        cloud=Cloud(name=hooks.spec.cloud, project=hooks.spec.tpu.project or "", ssh=nobody),
        session=session,
    )


def _has_started(store: Store, job_id: str, attempt: int) -> bool:
    return store.events.has(job_id, attempt, WORKLOAD_STARTED)


def _observer(hooks: Hooks) -> Callable[[Job, Allocation], Sequence[SliceObservation]]:
    def observe(job: Job, allocation: Allocation) -> Sequence[SliceObservation]:
        return hooks.observe(job=job, allocation=allocation)

    return observe


def _publisher(
    store: Store, hooks: Hooks, record: JobRecord, reporter: Reporter
) -> Callable[[str, str], None]:
    def publish(kind: str, text: str) -> None:
        attempt = store.jobs.get(record.id).attempt
        event = Event(job_id=record.id, attempt=attempt, kind=kind, text=text, at=time.time())
        store.events.add(event)
        reporter.event(event)
        hooks.on_event(event, Path(record.base_directory))

    return publish
