"""What one can do about a job while looking at it: a table of keys, each with the command that it starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd.engine.background import start_command
from tpuherd.errors import StateError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd.monitoring.view import JobView
    from tpuherd.store.records import JobRecord

RESUME = ("resume", "--on-interrupt", "detach")
RECOVER = ("recover", "--on-interrupt", "detach")
PAUSE = ("pause",)
ACK = ("ack",)
CANCEL = ("cancel",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One key."""

    key: str
    label: str
    words: Callable[[JobView], tuple[str, ...]]
    """The words of the command before the job; raises `StateError` if it makes no sense now."""
    question: str = ""
    """Asked before; empty: it does no harm."""

    def start(self, record: JobRecord, view: JobView) -> str:
        """Start the command in the background, and say so; what it says goes to the job's `controller.log`.

        Raises:
            StateError: it makes no sense now.
        """
        words = self.words(view)
        start_command(record, *words)
        return f"started: tpuherd {words[0]} {record.id}"


def resume_words(view: JobView) -> tuple[str, ...]:
    """Go on with a job that nobody drives, or that has failed.

    Raises:
        StateError: somebody drives it, or there is nothing to go on with.
    """
    if view.driver:
        raise StateError(f"{view.job} goes on already: {view.driver} drives it")
    if view.state in {"succeeded", "cancelled"}:
        raise StateError(f"{view.job} has {view.state}: there is nothing to resume")
    return RECOVER if view.state == "failed" else RESUME


def pause_words(view: JobView) -> tuple[str, ...]:
    """Stop the work of a job for a while.

    Raises:
        StateError: it has ended.
    """
    if view.ended:
        raise StateError(f"{view.job} has {view.state}: there is nothing to pause")
    return PAUSE


def ack_words(view: JobView) -> tuple[str, ...]:
    """Say that one has seen how a job failed.

    Raises:
        StateError: it has not failed.
    """
    if view.state != "failed":
        raise StateError(f"{view.job} is {view.state}: there is no failure to acknowledge")
    return ACK


def cancel_words(view: JobView) -> tuple[str, ...]:
    """Stop a job.

    Raises:
        StateError: it has ended.
    """
    if view.ended:
        raise StateError(f"{view.job} has {view.state}: there is nothing to cancel")
    return CANCEL


ACTIONS = (
    Action(key="r", label="resume", words=resume_words),
    Action(key="p", label="pause", words=pause_words, question="stop the workload and keep the slices"),
    Action(key="a", label="ack", words=ack_words),
    Action(
        key="c",
        label="cancel",
        words=cancel_words,
        question="stop the workload and give the slices back",
    ),
)
"""All of them; `f`, `q` and the arrows belong to the screen."""
