"""`tpuherd exec` by way of a process that knows the job: the holder, or a child that looks it up."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from tpuherd.errors import TpuherdError
from tpuherd.exit_codes import ExitCode
from tpuherd.holder import place
from tpuherd.holder.asked import Exec, parse
from tpuherd.holder.target import Target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.remote import RemoteCommand, RemoteWorkers


def quick_exec(words: Sequence[str]) -> int | None:
    """Do what a command line asks for, if that is an `exec`, and another process can tell what it takes.

    Whatever is unusual about it, or fails before anything was started, is left to the long way, which also
    knows what to say about it.

    Args:
        words: the command line without the program.

    Returns:
        The exit code; `None` if nothing was done.
    """
    asked = parse(words)
    if asked is None:
        return None
    try:
        return _by_holder(asked) if place.idle_s() else _by_child(asked)
    except TpuherdError:
        return None
    except KeyboardInterrupt:
        return ExitCode.CANCELLED


def _by_holder(asked: Exec) -> int | None:
    from tpuherd.holder.asking import Asking, Unheard
    from tpuherd.holder.workers import HeldWorkers

    if _store_depends_on_folder():
        return None
    try:
        asking = Asking()
    except (Unheard, TpuherdError):
        return None
    with asking:  # as long as it lasts, the job's slices are in use
        try:
            *_, answer = asking.ask(
                {"op": "reach", "job": asked.job, "workers": asked.workers, "script": asked.script}
            )
        except (Unheard, TpuherdError, ConnectionError):
            return None
        target = Target.from_header(answer.header["target"])
        with HeldWorkers(target.workers, target.access, target.known_hosts) as remote:
            return _execute(asked, remote, answer.header)


def _by_child(asked: Exec) -> int | None:
    """Connect to where the workers were, while a child finds out where they are and what to run there."""
    from tpuherd.holder.aside import found_out
    from tpuherd.holder.foreseen import foreseen

    expected = foreseen(asked.job)
    if expected is None:
        return None
    with found_out(asked) as answer:
        remote = _connecting(expected, asked.workers)
        header = answer()
        if header is None:
            remote.close()
            return None
        target = Target.from_header(header["target"])
        if target != expected:
            remote.close()
            remote = _connecting(target, asked.workers)
        return _execute(asked, remote, header)  # the end of this process hangs up, at a tenth of the cost


def _connecting(target: Target, workers: str) -> RemoteWorkers:
    from tpuherd.remote import RemoteWorkers
    from tpuherd.tasks.worker_choice import chosen

    remote = RemoteWorkers(target.workers, target.access, target.known_hosts)
    remote.begin(chosen(workers, len(target.workers)))
    return remote


def _store_depends_on_folder() -> bool:
    """A holder has a folder of its own."""
    url = os.environ.get("TPUHERD_DATABASE", "")
    return url.startswith("sqlite:") and not url.startswith("sqlite:////")


def _commands(answer: dict[str, Any]) -> dict[int, RemoteCommand]:
    from tpuherd.remote.result import RemoteCommand

    return {
        int(index): RemoteCommand(command=line, stdin=stdin.encode() or None)
        for index, (line, stdin) in answer["commands"].items()
    }


def _execute(asked: Exec, remote: RemoteWorkers, answer: dict[str, Any]) -> int:
    """Run it; from here on there is no other way, because something may have been started."""
    from tpuherd.reach.executing import execute

    try:
        return execute(remote, _commands(answer), timeout_s=asked.timeout_s, json=asked.json)
    except TpuherdError as error:
        from tpuherd.tasks.command import say_error

        say_error(error)
        return error.exit_code
