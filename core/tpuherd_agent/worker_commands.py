"""What can be asked of the agent about the worker itself: its processes, devices, mounts; and to stand by."""

from __future__ import annotations

import sys

from tpuherd_agent.answer import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import SimpleNamespace as Options


def devices(_arguments: Options) -> None:
    """Prints the TPU devices and the processes that hold them."""
    from tpuherd_agent.devices import devices as find_devices
    from tpuherd_agent.devices import holders

    say({"devices": find_devices(), "holders": [holder._asdict() for holder in holders()]})


def ps(_arguments: Options) -> None:
    """Prints the processes of attempts, and of people's commands, on this worker."""
    from tpuherd_agent.people import shown

    say({"processes": [process._asdict() for process in shown()]})


def end(arguments: Options) -> None:
    """Ends one process of ours, or a person's command with all its processes; prints how many ended."""
    from tpuherd_agent.people import end_marked, end_process

    if arguments.pid is not None:
        say({"ended": end_process(arguments.pid, arguments.grace)})
    else:
        say({"ended": end_marked(arguments.exec, arguments.grace)})


def health(_arguments: Options) -> None:
    """Prints what may ail this worker."""
    from tpuherd_agent.health import health as look_around

    say(look_around())


def unlock(_arguments: Options) -> None:
    """Removes the lock file of libtpu if no process has it open; prints whether it did."""
    from tpuherd_agent.health import remove_stale_lock

    say({"removed": remove_stale_lock()})


def remount(_arguments: Options) -> None:
    """Mounts again what tpuherd has mounted and what does not answer any more; prints where."""
    from tpuherd_agent.mounts import remount as mount_again

    say({"mounted": mount_again()})


def serve(_arguments: Options) -> None:
    """Stands by on this channel: takes calls of all other commands, and answers each by a child."""
    from tpuherd_agent.serve import run_main
    from tpuherd_agent.serve import serve as stand_by

    stand_by(sys.stdin.fileno(), sys.stdout.fileno(), run_main)
