"""The hooks, in the order in which a job meets them.

Write one in a plugin as a plain function of the same name, marked with `tpuherd.hookimpl`, taking any of the
arguments named here. Every hook may be called again after a crash: the last section of each docstring says
what that means for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.markers import NAME, hookspec

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tpuherd.config.section import ConfigSection
    from tpuherd.config.spec import JobSpec
    from tpuherd.model.allocation import Allocation
    from tpuherd.model.cloud import Cloud
    from tpuherd.model.detector import Detector
    from tpuherd.model.event import Event
    from tpuherd.model.failure import AttemptRecord, Diagnosis, Observation, Recovery, SliceObservation
    from tpuherd.model.finished_work import FinishedWork
    from tpuherd.model.job import Attempt, Job
    from tpuherd.model.outcome import CollectedResults, Environment, SyncedCode, WorkloadExit
    from tpuherd.model.plan import PlanStep
    from tpuherd.model.prompt_form import PromptForm
    from tpuherd.tasks.collection import TaskCollection

__all__ = ["NAME"]


# ---- before any job ----


@hookspec
def config_section() -> ConfigSection:
    """Contribute a section of the job file.

    Called once for every plugin when a job file is read or its schema is printed, on this machine, before
    anything else happens. All plugins are asked.

    Returns:
        The section's top-level key, the pydantic model that checks it, and a description.

    Raises:
        Nothing: an exception stops the command with `PluginError`.

    If it is called again:
        It gives the same answer; it has no side effects.
    """
    raise NotImplementedError


@hookspec
def register_tasks(namespace: TaskCollection) -> None:
    """Add invoke tasks to the command line.

    Called once at the start of every `tpuherd` and `inv` process, on this machine. All plugins are asked.
    It must be quick, because every command waits for it: import what a task needs inside the task.

    Args:
        namespace: the collection that `tpuherd` and `inv` serve; add tasks with `namespace.add(task,
            collection="results")`, which gives `tpuherd results.NAME`.

    Raises:
        Nothing: an exception stops the command with `PluginError`.

    If it is called again:
        It adds the same tasks to a fresh namespace.
    """


@hookspec
def plan(spec: JobSpec, base_directory: Path) -> Sequence[PlanStep]:
    """Say what this plugin would do for a job, and refuse what cannot work.

    Called for the plugins that a job file names or has a section for, on this machine, by `tpuherd plan` and
    before every run. It must not touch a cloud or a worker, and must not start anything.

    Args:
        spec: the checked job file.
        base_directory: the folder of the job file: relative paths in it start here.

    Returns:
        The requests and commands in order, secrets as references only.

    Raises:
        ConfigError: the job file asks for something that this plugin knows to be impossible.

    If it is called again:
        It gives the same answer; it has no side effects.
    """
    raise NotImplementedError


@hookspec
def prompt_forms() -> Sequence[PromptForm]:
    """Contribute ways to turn records into documents, for workloads that read documents.

    Called when a job file names one, on this machine, and by `tpuherd activations.forms`. All plugins are
    asked. The function itself runs on the workers: `function(record, number, **options)` gets a record of the
    input, its number there from 0, and the options of the job file, and returns a list of documents, each a
    text, a conversation (a list of messages) or token ids; none, one or several. It must give the same
    answer for the same arguments, in any process: take random numbers from a generator that the number seeds.

    Returns:
        The forms; their names differ from those of all other plugins.

    Raises:
        Nothing: an exception stops the command with `PluginError`.

    If it is called again:
        It gives the same answer; it has no side effects.
    """
    raise NotImplementedError


# ---- the cloud ----


@hookspec(firstresult=True)
def connect_cloud(spec: JobSpec, job_id: str) -> Cloud | None:
    """Find the cloud that the job file names, and start it if it is one that can be started.

    Called once per process that works on the job, on this machine, before any other hook of that job; only
    the plugin that `cloud:` names is asked. It may block while a local cloud starts, and must not create
    anything that costs money.

    Args:
        spec: the checked job file.
        job_id: the job that wants the cloud; a cloud that is started on demand remembers who uses it.

    Returns:
        How to reach the cloud. `None`: not mine.

    Raises:
        ProvisionError: the cloud cannot be reached or started, or credentials are missing.

    If it is called again:
        It finds the same cloud again and counts the job once.
    """


@hookspec
def leave_cloud(cloud: Cloud, job_id: str) -> None:
    """Tell the cloud that a job needs it no more.

    Called once when a job has ended and holds nothing, on this machine; only the plugin that `cloud:` names
    is asked. A cloud that was started on demand stops when the last job leaves.

    Args:
        cloud: what `connect_cloud` returned.
        job_id: the job that leaves.

    Raises:
        ProvisionError: the cloud could not be stopped; the job's outcome stays as it is.

    If it is called again:
        A job that has left already leaves nothing behind: nothing happens.
    """


@hookspec(firstresult=True)
def visit_cloud(project: str | None) -> Cloud | None:
    """Find a cloud to look around in, without a job: `tpuherd tpus`, `tpuherd gc` and their like.

    Called once per command, on this machine; only the plugin that the command names (`--cloud`) is asked. It
    must not start a cloud: one that does not run has nothing to show.

    Args:
        project: the project that the user named; `None`: the cloud's own default.

    Returns:
        How to reach the cloud. `None`: not mine.

    Raises:
        ProvisionError: the cloud cannot be reached, does not run, or credentials are missing.

    If it is called again:
        It finds the same cloud again; it has no side effects.
    """


# ---- the six, and their counterparts ----


@hookspec(firstresult=True)
def find_finished(spec: JobSpec, base_directory: Path, cloud: Cloud) -> FinishedWork | None:
    """Find what the job would make, if all of it is there already: then no job is made.

    Called by `tpuherd run` and `create` before they make a job or a fleet, on this machine; only the plugin
    that `workload.kind` names is asked. It must be cheap, must not create anything, and may only say what is
    certain: a job that is not made costs nothing, but its user counts on the answer.

    Args:
        spec: the checked job file; for a fleet the whole one's.
        base_directory: the folder of the job file: relative paths in it start here.
        cloud: what `connect_cloud` returned.

    Returns:
        Where it is and what it is. `None`: it is not there, or that cannot be seen from here.

    Raises:
        Nothing: what cannot be read is not there. An exception stops the command.

    If it is called again:
        It looks again; it has no side effects.
    """


@hookspec(firstresult=True)
def provision(job: Job, attempt: Attempt) -> Allocation | None:
    """Get the TPU slices for an attempt.

    Called once per attempt that needs new slices, on this machine, first of all stages; only the plugin that
    `tpu.allocation_mode` names is asked. It blocks until every worker answers over SSH, calls
    `job.session.checkpoint()` while it waits, and gives up after `tpu.provision_timeout_s`.

    Args:
        job: the job; `job.cloud` says how to reach the API.
        attempt: the attempt, with the zone if a recovery moved it.

    Returns:
        The slices and their workers. `None`: not mine; if every plugin says so, core raises `PluginError`.

    Raises:
        ProvisionError: the cloud refused or did not deliver; the attempt has failed.

    If it is called again:
        It adopts what an interrupted call created for the same job, and never creates a second slice.
    """


@hookspec
def equip_workers(job: Job, allocation: Allocation) -> None:
    """Put around the workload what it needs on its workers: mounts, folders, keys, scripts that run first.

    Called once per attempt after `provision` and before `prepare_env`, on this machine, working over SSH on
    all workers at once; one plugin after the other. Plugins that contribute a section of the job file are
    asked if the file has it; plugins without a section are always asked.

    Args:
        job: the job; `job.attempt_id` is the attempt that it is for.
        allocation: the workers, all reachable.

    Raises:
        PrepareError: it could not be done on every worker; the message names the workers and their errors.

    If it is called again:
        It looks, in one round trip, whether all is as it should be, and mends only what is not: it is called
        for every attempt, also for those on the same workers.
    """


@hookspec(firstresult=True)
def prepare_env(job: Job, allocation: Allocation) -> Environment | None:
    """Make every worker able to run the code.

    Called once per attempt after `provision`, on this machine, working over SSH on all workers at once; only
    the plugin that `job.env_type` names is asked. It may block for as long as an install takes.

    Args:
        job: the job.
        allocation: the workers, all reachable.

    Returns:
        The environment, the same on every worker. `None`: not mine.

    Raises:
        PrepareError: it could not be made on every worker; the message names the workers and their errors.

    If it is called again:
        A finished environment with the same key is found and kept; a half-made one is made anew.
    """


@hookspec(firstresult=True)
def sync_code(job: Job, allocation: Allocation) -> SyncedCode | None:
    """Send the code to every worker.

    Called once per attempt after `prepare_env`, on this machine, over SSH; only the plugin that `code.sync`
    names is asked.

    Args:
        job: the job; relative paths of its file start at `job.base_directory`.
        allocation: the workers.

    Returns:
        What was sent and where it is. `None`: not mine.

    Raises:
        SyncError: it did not arrive on every worker.

    If it is called again:
        A worker that has the same snapshot is left alone; running attempts are never changed.
    """


@hookspec(firstresult=True)
def run_workload(
    job: Job, allocation: Allocation, environment: Environment, code: SyncedCode
) -> WorkloadExit | None:
    """Run the work to its end.

    Called once per attempt after `sync_code`, on this machine; only the plugin that `workload.kind` names is
    asked. Most plugins describe a command and call `tpuherd.launch`, which starts it under the agents of the
    workers, streams and keeps the logs, and stops all workers when one fails.

    Args:
        job: the job; `job.attempt_id` is the id under which agents start it exactly once.
        allocation: the workers.
        environment: what `prepare_env` returned.
        code: what `sync_code` returned.

    Returns:
        How it ended on every worker; a failure is a result, not an exception. `None`: not mine.

    Raises:
        WorkloadError: it could not be started.

    If it is called again:
        A workload that runs already is followed from where the log was left; one that has ended is reported
        again; it is never started twice for the same attempt id.
    """


@hookspec(firstresult=True)
def collect(
    job: Job, allocation: Allocation, environment: Environment, code: SyncedCode, end: WorkloadExit
) -> CollectedResults | None:
    """Bring the results of a successful attempt home.

    Called once per attempt after `run_workload` succeeded, before anything is released, on this machine; only
    the plugin that `workload.kind` names is asked, and it need not implement it.

    Args:
        job: the job; results go below `job.attempt_directory`.
        allocation: the workers, still there.
        environment: the environment in which it ran.
        code: the code that ran.
        end: what `run_workload` returned, with the output directory as the workers see it.

    Returns:
        What was brought home. `None`: there is nothing to collect.

    Raises:
        WorkloadError: results are missing or cannot be read.

    If it is called again:
        It writes the same files again, whole.
    """


@hookspec(firstresult=True)
def observe(job: Job, allocation: Allocation) -> Sequence[SliceObservation] | None:
    """Look at the slices through the control plane.

    Called when an attempt has failed, and by `tpuherd status`, on this machine; only the plugin that
    `tpu.allocation_mode` names is asked. It must answer within a few seconds.

    Args:
        job: the job.
        allocation: what the job believes to hold.

    Returns:
        One observation per slice: present, absent, or unknown when the API did not answer. `None`: not mine.

    Raises:
        Nothing: an API error is the answer *unknown*, with its text.

    If it is called again:
        It looks again; it has no side effects.
    """


@hookspec
def detectors() -> Sequence[Detector]:
    """Contribute rows to the table that says which sign means which class of failure.

    Called when an attempt has failed, and by `tpuherd detectors`, on this machine. All plugins are asked. The
    rows of all plugins and of the job file are matched with what was seen; `detect_failure` gets the matches
    as `observation.findings`. A row for a log counts by itself: the plugin `log_patterns` says what it means.

    Returns:
        The rows; their ids differ from those of all other plugins.

    Raises:
        Nothing: an exception is logged with the plugin's name, and its rows are missing.

    If it is called again:
        It gives the same answer; it has no side effects.
    """
    raise NotImplementedError


@hookspec
def detect_failure(job: Job, observation: Observation) -> Diagnosis | None:
    """Say what a failed attempt means.

    Called once per failed attempt, on this machine, for every plugin; the best supported class counts, and
    symptoms only if no cause is known. It is a pure function of its arguments: the same plugins run live, in
    tests and in simulations.

    Args:
        job: the job; only its values may be used, not its session.
        observation: all that was seen; `findings` are the rows of the detector table that match it.

    Returns:
        The class of the failure with the evidence for it. `None`: no opinion.

    Raises:
        Nothing: an exception is logged with the plugin's name, and counts as no opinion.

    If it is called again:
        It gives the same answer for the same observation.
    """


@hookspec(firstresult=True)
def recover(job: Job, diagnosis: Diagnosis, history: Sequence[AttemptRecord]) -> Recovery | None:
    """Decide what to do about a failed attempt.

    Called once per failed attempt after `detect_failure`, on this machine; only the plugin that
    `recovery.policy` names is asked. It is a pure function: it returns a decision and does nothing itself.

    Args:
        job: the job; only its values may be used, not its session.
        diagnosis: what the failure means; its `scene` says where and when, how long the slices were held,
            and whether they can be used still. Take the time from there.
        history: earlier failures with what was done, oldest first, since a user began anew with `rerun`.

    Returns:
        The decision. `None`: no policy; core gives up.

    Raises:
        Nothing: an exception fails the job.

    If it is called again:
        It gives the same answer for the same arguments.
    """


@hookspec
def leave_workers(job: Job, allocation: Allocation) -> None:
    """Take away again what `equip_workers` put there: the next user of the machines may be another.

    Called before `release`, on this machine, for the same plugins as `equip_workers`, in the opposite order.
    Workers may be gone or silent by now: it must give up after a few seconds.

    Args:
        job: the job.
        allocation: the workers that it gives back.

    Raises:
        PrepareError: something stays on a worker; the user is told, and the slices are given back anyway.

    If it is called again:
        What is gone already counts as taken away.
    """


@hookspec(firstresult=True)
def release(job: Job, allocation: Allocation | None) -> bool | None:
    """Give the slices back.

    Called when the job ends, on every way out, and when a recovery replaces slices, on this machine; only the
    plugin that `tpu.allocation_mode` names is asked. It deletes only what carries this job's labels, and
    nothing on an *unknown* answer.

    Args:
        job: the job.
        allocation: what it holds; `None`: `provision` did not end, so whatever it may have created for this
            job has to be looked for.

    Returns:
        `True` when nothing of the job is left. `None`: not mine.

    Raises:
        ProvisionError: something could not be deleted, or the API did not answer; it may still cost money.

    If it is called again:
        What is gone already counts as released.
    """


# ---- watching ----


@hookspec
def on_event(event: Event, spec: JobSpec, base_directory: Path) -> None:
    """Hear what happens to jobs: for notifiers, dashboards, exporters.

    Called after each event was stored, on this machine, for every plugin, in the thread of the job. It must
    return quickly.

    Args:
        event: what happened.
        spec: the job file of the job that it happened to.
        base_directory: the folder of the job file: relative paths in it start here.

    Raises:
        Nothing: an exception is logged with the plugin's name and ignored.

    If it is called again:
        An event may be told twice after a crash; its time and text are then the same.
    """
