"""What can be asked of the agent about files: moving them, and the code."""

from __future__ import annotations

import sys

from tpuherd_agent.answer import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import SimpleNamespace as Options


def look(arguments: Options) -> None:
    """Prints what is at a path."""
    from tpuherd_agent.transfer import look as look_at

    say(look_at(arguments.path))


def room(arguments: Options) -> None:
    """Refuses what must not be put at a path, or would not fit."""
    from tpuherd_agent.transfer import room as find_room

    say(find_room(arguments.path, arguments.size, folder=arguments.folder, replace=arguments.replace))


def receive(arguments: Options) -> None:
    """Takes one part of an archive from stdin; with the last one, its content appears at a path."""
    from tpuherd_agent.transfer import receive as take

    one = {"offset": arguments.offset, "size": arguments.size}
    say(take(arguments.path, arguments.token, **one, last=arguments.last, replace=arguments.replace))


def discard(arguments: Options) -> None:
    """Forgets the parts of an archive that came."""
    from tpuherd_agent.transfer import discard as forget

    say(forget(arguments.path, arguments.token))


def send(arguments: Options) -> None:
    """Writes what is at a path to stdout, as a tar archive."""
    from tpuherd_agent.transfer import send as send_archive

    send_archive(arguments.path)


def sync(arguments: Options) -> None:
    """Makes a snapshot of the code from what comes on stdin, if that is the plain case."""
    from tpuherd_agent.afterwards import run_script
    from tpuherd_agent.sync import sync as make

    options = vars(arguments)
    script = options.pop("ready")
    answer = make(sys.stdin.buffer.read(), **options)
    if answer.startswith("made"):
        run_script(script)
    sys.stdout.write(answer + "\n")
