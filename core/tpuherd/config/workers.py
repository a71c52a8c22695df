"""A choice of workers in a job file: `all`, one number, or a list of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AfterValidator, Field

from tpuherd.config.sections import expecting, wrong
from tpuherd.errors import ConfigError

if TYPE_CHECKING:
    from tpuherd.config.spec import JobSpec

Index = Annotated[int, Field(ge=0)]
Choice = Literal["all"] | int | tuple[int, ...]


def _some_once(value: Choice) -> Choice:
    if isinstance(value, tuple) and (not value or len(set(value)) != len(value)):
        raise wrong("name at least one worker, and each only once")
    return value


Workers = Annotated[
    Annotated[
        Literal["all"] | Index | tuple[Index, ...],
        expecting('"all", a worker\'s number, or a list of numbers'),
    ],
    AfterValidator(_some_once),
]
"""The type of every key `workers`."""


def indices(choice: Choice) -> tuple[int, ...] | None:
    """The numbers of the chosen workers; `None`: all."""
    if choice == "all":
        return None
    return choice if isinstance(choice, tuple) else (int(choice),)


def told(choice: Choice) -> str:
    """The chosen workers for people: `every worker`, `worker 0`, `workers 0, 2`."""
    chosen = indices(choice)
    if chosen is None:
        return "every worker"
    return f"worker{'s' * (len(chosen) > 1)} {', '.join(map(str, chosen))}"


def require_there(spec: JobSpec, choice: Choice, key: str) -> None:
    """Refuse a worker that the slices, whichever come, may not have.

    Args:
        spec: the job file.
        choice: the workers.
        key: the dotted key of the choice, for the message.

    Raises:
        ConfigError: there is no such worker.
    """
    from tpuherd.accelerators import resolve

    count = min(resolve(name).workers for name in spec.tpu.accelerators) * spec.tpu.slices
    beyond = [index for index in indices(choice) or () if index >= count]
    if beyond:
        raise ConfigError(f"{key}: there is no worker {beyond[0]}; the slices have 0 to {count - 1}")
