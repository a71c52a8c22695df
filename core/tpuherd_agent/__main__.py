"""The command line of the agent.

Results go to stdout; a failure is one JSON line `{"error": ...}` on stderr and an exit code: 64 command line,
65 spec, 66 offset beyond the log, 70 bug in the agent, 71 process not started or not stopped, 74 disk, 75 TPU
device busy (see `errors`).
"""

from __future__ import annotations

import json
import sys

from tpuherd_agent import attempt_commands, file_commands, worker_commands
from tpuherd_agent.errors import DISK, INTERNAL, LONG_WAY, AgentError, describe
from tpuherd_agent.options import REQUIRED, Option, count, parse, seconds, token

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

_ATTEMPT = {"attempt": Option(default=REQUIRED)}
_GRACE = {"grace": Option(seconds)}
_OFFSET = {"offset": Option(count, 0)}
_PATH = {"path": Option(default=REQUIRED)}
_REPLACE = {"replace": Option(None, default=False)}
_SIZE = {"size": Option(count, REQUIRED)}
_TOKEN = {"token": Option(token, REQUIRED)}
_SYNC = {name: Option(default=REQUIRED) for name in ("snapshot", "base", "digest", "ready")}
_LAST = {"last": Option(None, default=False)}

COMMANDS: dict[str, dict[str, Option]] = {
    "start": {},
    "run": _OFFSET,
    "status": {"attempt": Option()},
    "watch": {**_ATTEMPT, **_OFFSET},
    "log": {**_ATTEMPT, **_OFFSET, "limit": Option(count)},
    "stop": {**_ATTEMPT, **_GRACE},
    "kill": _ATTEMPT,
    "devices": {},
    "ps": {},
    "end": {"pid": Option(count), "exec": Option(default=""), **_GRACE},
    "look": _PATH,
    "room": {**_PATH, **_SIZE, "folder": Option(None, default=False), **_REPLACE},
    "receive": {**_PATH, **_TOKEN, **_OFFSET, **_SIZE, **_LAST, **_REPLACE},
    "discard": {**_PATH, **_TOKEN},
    "send": _PATH,
    "health": {},
    "unlock": {},
    "remount": {},
    "clean": {"keep": Option(count, REQUIRED)},
    "sync": {**_SYNC, "gone": Option(None, default=False)},
    "serve": {},
}


def main() -> None:
    """Runs one command and exits."""
    try:
        name, options = parse(sys.argv[1:], COMMANDS)
        _function(name)(options)
    except AgentError as error:
        if error.code == LONG_WAY:
            sys.exit(LONG_WAY)  # without a word: somebody else will find some
        _fail(str(error), error.code, error.details)
    except BrokenPipeError:
        sys.stderr = None
    except OSError as error:
        _fail(describe(error), DISK, {})
    except Exception as error:  # noqa: BLE001
        place = error.__traceback__
        while place and place.tb_next:
            place = place.tb_next
        where = f"{place.tb_frame.f_code.co_filename}:{place.tb_lineno}" if place else "?"
        # Not its text: that could quote a variable's value.
        _fail(f"bug in the agent: {type(error).__name__} at {where}", INTERNAL, {})


def _function(name: str) -> Callable[[Any], None]:
    modules = (attempt_commands, worker_commands, file_commands)
    found: Callable[[Any], None] = next(getattr(of, name) for of in modules if hasattr(of, name))
    return found


def _fail(message: str, code: int, details: dict[str, object]) -> NoReturn:
    sys.stderr.write(json.dumps({"error": message, **details}) + "\n")
    sys.exit(code)


if __name__ == "__main__":
    main()
