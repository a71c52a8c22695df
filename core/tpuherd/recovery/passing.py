"""What an attempt is told about those before it; one that begins from scratch is told nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tpuherd.model.job import Job


def passed_on(job: Job) -> dict[str, str]:
    """The variables about stage, checkpoints and wandb run, for every process of an attempt."""
    terms = job.spec.recovery
    directory = checkpoint_directory(job)
    found = {"TPUHERD_STAGE": str(job.attempt.number), "TPUHERD_RESUME_ARGS": resume_args(job)}
    found |= {"TPUHERD_CHECKPOINT_DIR": directory} if directory else {}
    return found | ({"WANDB_RUN_ID": wandb_run_id(job), "WANDB_RESUME": "allow"} if terms.wandb else {})


def checkpoint_directory(job: Job) -> str:
    """Where checkpoints are, for the attempts that build on each other.

    Empty: the job file does not say, and the cloud has no folder that all workers see.
    """
    template, shared = job.spec.recovery.checkpoint_directory, job.cloud.shared_directory
    if template is None and shared is None:
        return ""
    whole = f"{shared}/checkpoints/{job.id}" if template is None else template.format(job=job.id)
    return whole if job.attempt.since == 1 else f"{whole.rstrip('/')}/from-attempt-{job.attempt.since}"


def wandb_run_id(job: Job) -> str:
    """One id for all attempts that build on each other."""
    return job.id if job.attempt.since == 1 else f"{job.id}-{job.attempt.since}"


def resume_args(job: Job) -> str:
    """The job file's template, filled in for an attempt that resumes; else empty."""
    if not job.attempt.resume:
        return ""
    return job.spec.recovery.resume_args.format(
        checkpoint_directory=checkpoint_directory(job),
        stage=job.attempt.number,
        wandb_run_id=wandb_run_id(job),
        job=job.id,
    )
