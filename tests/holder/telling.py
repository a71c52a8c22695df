"""A plugin with one command that tells all about its process; see test_warm.py."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import threading
import time
from pathlib import Path

from tpuherd import hookimpl
from tpuherd.tasks.command import command

if os.environ.get("TPUHERD_TELLING_THREAD"):
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()


@command()
def tell(_context, code="0", *, waits=False, dies=False, notes="") -> None:
    """Say what this process is like; wait for signals until TERM; end with a code."""
    if notes:
        with Path(notes).open("a") as file:
            file.write(f"{os.getpid()}\n")
    if dies:
        os.kill(os.getpid(), signal.SIGKILL)
    if waits:
        _wait(notes)
    else:
        print(json.dumps(_about(), default=str))
    sys.exit(int(code))


def _about() -> dict[str, object]:
    return {
        "argv": sys.argv,
        "cwd": str(Path.cwd()),
        "env": dict(os.environ),
        "path": [path for path in sys.path if path],
        "umask": os.umask(0),
        "terminals": [os.isatty(number) for number in (0, 1, 2)],
        "buffering": [sys.stdout.line_buffering, sys.stdout.encoding, sys.stdout.errors],
        "signals": {n: str(signal.getsignal(n)).partition(" at ")[0] for n in signal.valid_signals()},
        "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
        "files": resource.getrlimit(resource.RLIMIT_NOFILE),
        "zone": time.tzname,
        "input": "" if os.isatty(0) else sys.stdin.read(),
        "open": len(list(Path("/proc/self/fd").iterdir())),
    }


def _wait(notes: str) -> None:
    heard: list[int] = []
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGWINCH, signal.SIGQUIT):
        signal.signal(number, lambda number, _: heard.append(int(number)))
    print("ready", flush=True)
    told = 0
    while not {signal.SIGTERM, signal.SIGHUP} & set(heard[:told]):
        time.sleep(0.02)
        for number in heard[told:]:
            print(number, flush=True)
            told += 1
    if notes:
        with Path(notes).open("a") as file:
            file.write(f"heard {heard[-1]}\n")


@hookimpl
def register_tasks(namespace) -> None:
    namespace.add(tell)
