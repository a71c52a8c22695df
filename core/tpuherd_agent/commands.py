"""What can be asked of the agent, one function per command."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

from tpuherd_agent.attempt import existing, find

if TYPE_CHECKING:
    from types import SimpleNamespace as Options

_CHUNK_BYTES = 1 << 20


def start(_arguments: Options) -> None:
    """Starts the workload of the JSON spec on stdin, exactly once per attempt id; prints its status."""
    from tpuherd_agent.spec import parse
    from tpuherd_agent.start import start as start_workload

    _print(start_workload(parse(sys.stdin.buffer.read()))._asdict())


def run(arguments: Options) -> None:
    """Does what `start` does; then sends what `watch` sends."""
    from tpuherd_agent.spec import parse
    from tpuherd_agent.start import start as start_workload
    from tpuherd_agent.watch import watch as watch_attempt

    spec = parse(sys.stdin.buffer.read())
    start_workload(spec)
    attempt = find(spec.attempt)
    del spec  # it may hold secrets, and this may last for days
    watch_attempt(attempt, arguments.offset, sys.stdout.fileno())


def status(arguments: Options) -> None:
    """Prints the state of one attempt, or of all."""
    from tpuherd_agent.status import read_status

    if arguments.attempt is not None:
        _print(read_status(find(arguments.attempt))._asdict())
    else:
        _print({"attempts": [read_status(attempt)._asdict() for attempt in existing()]})


def watch(arguments: Options) -> None:
    """Sends log, status and heartbeat as frames until the attempt has ended."""
    from tpuherd_agent.watch import watch as watch_attempt

    watch_attempt(find(arguments.attempt), arguments.offset, sys.stdout.fileno())


def log(arguments: Options) -> None:
    """Writes the bytes of the log that are there now."""
    from tpuherd_agent.watch import require_offset

    attempt = find(arguments.attempt)
    require_offset(attempt, arguments.offset)
    if attempt.log.exists():
        _copy(os.open(attempt.log, os.O_RDONLY), arguments.offset, arguments.limit)


def stop(arguments: Options) -> None:
    """Ends all processes of an attempt; one that was not started never will be."""
    from tpuherd_agent.stop import stop as stop_attempt

    _print(stop_attempt(find(arguments.attempt), arguments.grace)._asdict())


def kill(arguments: Options) -> None:
    """Ends all processes of an attempt at once, as the loss of the machine would: they were not asked to."""
    from tpuherd_agent.stop import kill as kill_attempt

    _print(kill_attempt(find(arguments.attempt))._asdict())


def devices(_arguments: Options) -> None:
    """Prints the TPU devices and the processes that hold them."""
    from tpuherd_agent.devices import devices as find_devices
    from tpuherd_agent.devices import holders

    _print({"devices": find_devices(), "holders": [holder._asdict() for holder in holders()]})


def ps(_arguments: Options) -> None:
    """Prints the processes of attempts, and of people's commands, on this worker."""
    from tpuherd_agent.people import shown

    _print({"processes": [process._asdict() for process in shown()]})


def end(arguments: Options) -> None:
    """Ends one process of ours, or a person's command with all its processes; prints how many ended."""
    from tpuherd_agent.people import end_marked, end_process

    if arguments.pid is not None:
        _print({"ended": end_process(arguments.pid, arguments.grace)})
    else:
        _print({"ended": end_marked(arguments.exec, arguments.grace)})


def look(arguments: Options) -> None:
    """Prints what is at a path."""
    from tpuherd_agent.transfer import look as look_at

    _print(look_at(arguments.path))


def room(arguments: Options) -> None:
    """Refuses what must not be put at a path, or would not fit."""
    from tpuherd_agent.transfer import room as find_room

    _print(find_room(arguments.path, arguments.size, folder=arguments.folder, replace=arguments.replace))


def receive(arguments: Options) -> None:
    """Takes one part of an archive from stdin; with the last one, its content appears at a path."""
    from tpuherd_agent.transfer import receive as take

    one = {"offset": arguments.offset, "size": arguments.size}
    _print(take(arguments.path, arguments.token, **one, last=arguments.last, replace=arguments.replace))


def discard(arguments: Options) -> None:
    """Forgets the parts of an archive that came."""
    from tpuherd_agent.transfer import discard as forget

    _print(forget(arguments.path, arguments.token))


def send(arguments: Options) -> None:
    """Writes what is at a path to stdout, as a tar archive."""
    from tpuherd_agent.transfer import send as send_archive

    send_archive(arguments.path)


def health(_arguments: Options) -> None:
    """Prints what may ail this worker."""
    from tpuherd_agent.health import health as look_around

    _print(look_around())


def unlock(_arguments: Options) -> None:
    """Removes the lock file of libtpu if no process has it open; prints whether it did."""
    from tpuherd_agent.health import remove_stale_lock

    _print({"removed": remove_stale_lock()})


def remount(_arguments: Options) -> None:
    """Mounts again what tpuherd has mounted and what does not answer any more; prints where."""
    from tpuherd_agent.mounts import remount as mount_again

    _print({"mounted": mount_again()})


def clean(arguments: Options) -> None:
    """Removes the folders of all ended attempts but the last ones."""
    from tpuherd_agent.clean import clean as clean_attempts

    _print({"removed": clean_attempts(arguments.keep)})


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


def serve(_arguments: Options) -> None:
    """Stands by on this channel: takes calls of all other commands, and answers each by a child."""
    from tpuherd_agent.serve import run_main
    from tpuherd_agent.serve import serve as stand_by

    stand_by(sys.stdin.fileno(), sys.stdout.fileno(), run_main)


def _copy(source: int, offset: int, limit: int | None) -> None:
    left = sys.maxsize if limit is None else limit
    while left > 0 and (data := os.pread(source, min(left, _CHUNK_BYTES), offset)):
        sys.stdout.buffer.write(data)
        offset += len(data)
        left -= len(data)
    sys.stdout.buffer.flush()


def _print(record: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()
