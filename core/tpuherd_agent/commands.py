"""What can be asked of the agent, one function per command."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

from tpuherd_agent.attempt import existing, find

if TYPE_CHECKING:
    from argparse import Namespace

_CHUNK_BYTES = 1 << 20


def start(_arguments: Namespace) -> None:
    """Starts the workload of the JSON spec on stdin, exactly once per attempt id; prints its status."""
    from tpuherd_agent.spec import parse
    from tpuherd_agent.start import start as start_workload

    _print(start_workload(parse(sys.stdin.buffer.read()))._asdict())


def status(arguments: Namespace) -> None:
    """Prints the state of one attempt, or of all."""
    from tpuherd_agent.status import read_status

    if arguments.attempt is not None:
        _print(read_status(find(arguments.attempt))._asdict())
    else:
        _print({"attempts": [read_status(attempt)._asdict() for attempt in existing()]})


def watch(arguments: Namespace) -> None:
    """Sends log, status and heartbeat as frames until the attempt has ended."""
    from tpuherd_agent.watch import watch as watch_attempt

    watch_attempt(find(arguments.attempt), arguments.offset, sys.stdout.fileno())


def log(arguments: Namespace) -> None:
    """Writes the bytes of the log that are there now."""
    from tpuherd_agent.watch import require_offset

    attempt = find(arguments.attempt)
    require_offset(attempt, arguments.offset)
    if attempt.log.exists():
        _copy(os.open(attempt.log, os.O_RDONLY), arguments.offset, arguments.limit)


def stop(arguments: Namespace) -> None:
    """Ends all processes of an attempt; one that was not started never will be."""
    from tpuherd_agent.stop import stop as stop_attempt

    _print(stop_attempt(find(arguments.attempt), arguments.grace)._asdict())


def devices(_arguments: Namespace) -> None:
    """Prints the TPU devices and the processes that hold them."""
    from tpuherd_agent.devices import devices as find_devices
    from tpuherd_agent.devices import holders

    _print({"devices": find_devices(), "holders": [holder._asdict() for holder in holders()]})


def clean(arguments: Namespace) -> None:
    """Removes the folders of all ended attempts but the last ones."""
    from tpuherd_agent.clean import clean as clean_attempts

    _print({"removed": clean_attempts(arguments.keep)})


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
