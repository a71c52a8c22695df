"""What can be asked of the agent about attempts, one function per command."""

from __future__ import annotations

import os
import sys

from tpuherd_agent.answer import say
from tpuherd_agent.attempt import existing, find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import SimpleNamespace as Options

_CHUNK_BYTES = 1 << 20


def start(_arguments: Options) -> None:
    """Starts the workload of the JSON spec on stdin, exactly once per attempt id; prints its status."""
    from tpuherd_agent.spec import parse
    from tpuherd_agent.start import start as start_workload

    say(start_workload(parse(sys.stdin.buffer.read()))._asdict())


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
        say(read_status(find(arguments.attempt))._asdict())
    else:
        say({"attempts": [read_status(attempt)._asdict() for attempt in existing()]})


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

    say(stop_attempt(find(arguments.attempt), arguments.grace)._asdict())


def kill(arguments: Options) -> None:
    """Ends all processes of an attempt at once, as the loss of the machine would: they were not asked to."""
    from tpuherd_agent.stop import kill as kill_attempt

    say(kill_attempt(find(arguments.attempt))._asdict())


def clean(arguments: Options) -> None:
    """Removes the folders of all ended attempts but the last ones."""
    from tpuherd_agent.clean import clean as clean_attempts

    say({"removed": clean_attempts(arguments.keep)})


def _copy(source: int, offset: int, limit: int | None) -> None:
    left = sys.maxsize if limit is None else limit
    while left > 0 and (data := os.pread(source, min(left, _CHUNK_BYTES), offset)):
        sys.stdout.buffer.write(data)
        offset += len(data)
        left -= len(data)
    sys.stdout.buffer.flush()
