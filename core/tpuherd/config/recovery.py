"""The `recovery` section: what happens after a failure."""

from __future__ import annotations

from string import Formatter
from typing import Annotated, Literal

from pydantic import Field, field_validator

from tpuherd.config.choices import nearest
from tpuherd.config.sections import Section, expecting, wrong
from tpuherd.model.failure import FailureClass

Budget = Annotated[Annotated[int, Field(ge=0)] | Literal["unlimited"], expecting('a number, or "unlimited"')]

RESUME_FIELDS = ("checkpoint_directory", "stage", "wandb_run_id", "job")
"""What `resume_args` may refer to."""


class BackoffSection(Section):
    """How long to wait between failures that come one after the other."""

    first_s: float = Field(5.0, ge=0, description="Seconds before the second try; the first is made at once.")
    factor: float = Field(2.0, ge=1, description="By how much each pause is longer than the one before.")
    longest_s: float = Field(600.0, ge=0, description="The longest pause, in seconds.")
    jitter: float = Field(0.25, ge=0, le=1, description="Part of a pause that is left to chance, 0 to 1.")


class RecoverySection(Section):
    """What happens after a failure."""

    policy: str = Field(
        "tiered",
        description="Plugin that decides: tiered, rules, failover, give_up, or an importable module.",
    )
    budgets: dict[str, Budget] = Field(
        {},
        description="Class of failure to how often it may come again before the job is given up, for example "
        'host-out-of-memory: 2; "unlimited" is allowed. `tpuherd policies tiered` shows the defaults.',
    )
    backoff: BackoffSection = Field(default_factory=BackoffSection, description="Pauses between failures.")
    stable_after_s: float = Field(
        3600.0,
        gt=0,
        description="Seconds after which a workload that tells of no checkpoint counts as having come "
        "further: budgets are then full again.",
    )
    short_lived_s: float = Field(
        900.0,
        ge=0,
        description="Slices that were lost sooner than this, in seconds, count against their zone.",
    )
    avoid_zone_s: float = Field(
        3600.0, ge=0, description="For how long a zone is avoided that has twice given short-lived slices."
    )
    checkpoint_directory: str | None = Field(
        None,
        min_length=1,
        description="Folder or gs:// address of the checkpoints, as the workers see it: the workload gets it "
        "as TPUHERD_CHECKPOINT_DIR. {job} stands for the job's id. On the emulated cloud it is "
        "by default a folder that outlives the slices.",
    )
    resume_args: str = Field(
        "",
        description="More arguments for a workload that resumes, in TPUHERD_RESUME_ARGS; empty for others. "
        "{checkpoint_directory}, {stage} (the attempt), {wandb_run_id} and {job} are filled in.",
    )
    wandb: bool = Field(
        False,
        description="Whether WANDB_RUN_ID and WANDB_RESUME are set, so that attempts which build on each "
        "other are one run of Weights & Biases.",
    )

    @field_validator("budgets")
    @classmethod
    def _classes_are_known(cls, value: dict[str, Budget]) -> dict[str, Budget]:
        known = [failure.value for failure in FailureClass]
        for name in value:
            if name not in known:
                raise wrong(f"{name!r} is no class of failures; {nearest(name, known)}")
        return value

    @field_validator("resume_args")
    @classmethod
    def _fields_are_known(cls, value: str) -> str:
        return _checked(value, RESUME_FIELDS)

    @field_validator("checkpoint_directory")
    @classmethod
    def _only_the_job(cls, value: str | None) -> str | None:
        return None if value is None else _checked(value, ("job",))


def _checked(template: str, known: tuple[str, ...]) -> str:
    try:
        pieces = list(Formatter().parse(template))
    except ValueError as error:
        raise wrong(f"{template!r} is no template: {error}; write {{{{ for a brace") from error
    for _, field, form, conversion in pieces:
        if field is not None and (field not in known or form or conversion):
            raise wrong(f"{{{field}}} is unknown here; {nearest(field, known)}")
    return template
