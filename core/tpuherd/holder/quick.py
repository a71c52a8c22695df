"""`tpuherd exec` by way of the holder, which has plugins, store and job file in memory already."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Any, NamedTuple

from tpuherd.errors import TpuherdError
from tpuherd.exit_codes import ExitCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.remote import RemoteCommand


class Exec(NamedTuple):
    """What a command line asks for."""

    job: str
    script: str
    workers: str = "all"
    timeout_s: float = 600.0
    json: bool = False


def quick_exec(words: Sequence[str]) -> int | None:
    """Do what a command line asks for, if that is an `exec` and a holder can tell where the workers are.

    Whatever is unusual about it, or fails before anything was started, is left to the long way, which also
    knows what to say about it.

    Args:
        words: the command line without the program.

    Returns:
        The exit code; `None` if nothing was done.
    """
    asked = parse(words)
    if asked is None or _store_depends_on_folder():
        return None
    try:
        return _by_holder(asked)
    except KeyboardInterrupt:
        return ExitCode.CANCELLED


def _by_holder(asked: Exec) -> int | None:
    from tpuherd.holder.asking import Asking, Unheard

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
        return _execute(asked, answer.header)


def parse(words: Sequence[str]) -> Exec | None:
    """What a command line asks for; `None` for everything but a plain `exec`."""
    own, command = _split(words)
    if not own or own[0] != "exec":
        return None
    try:
        found = _options(own[1:])
        job, script = found.pop("job"), found.pop("command", "") or shlex.join(command)
        timeout_s = float(found.pop("timeout-s", "600"))
    except (KeyError, ValueError):
        return None
    json = found.pop("json", "") == "yes"
    return Exec(job, script, found.pop("workers", "all"), timeout_s, json) if script else None


def _split(words: Sequence[str]) -> tuple[list[str], list[str]]:
    if "--" not in words:
        return list(words), []
    at = list(words).index("--")
    return list(words[:at]), list(words[at + 1 :])


def _options(words: Sequence[str]) -> dict[str, str]:
    """Options and the job, by name.

    Raises:
        ValueError: there is something else.
    """
    found: dict[str, str] = {}
    rest = iter(words)
    for word in rest:
        name, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("-"):
            name, value = "job", word
        elif word == "--json":
            value = "yes"
        elif word.startswith("--") and name in ("workers", "timeout-s", "command"):
            value = value if equals else next(rest, "")
        else:
            raise ValueError(word)
        if name in found or not value:
            raise ValueError(word)
        found[name] = value
    return found


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


def _execute(asked: Exec, answer: dict[str, Any]) -> int:
    """Run it; from here on there is no other way, because something may have been started."""
    from tpuherd.holder.target import Target
    from tpuherd.holder.workers import HeldWorkers
    from tpuherd.reach.executing import execute

    target = Target.from_header(answer["target"])
    remote = HeldWorkers(target.workers, target.access, target.known_hosts)
    try:
        with remote:
            return execute(remote, _commands(answer), timeout_s=asked.timeout_s, json=asked.json)
    except TpuherdError as error:
        from tpuherd.tasks.command import say_error

        say_error(error)
        return error.exit_code
