"""The command line of the agent.

Results go to stdout; a failure is one JSON line `{"error": ...}` on stderr and an exit code: 64 command line,
65 spec, 66 offset beyond the log, 70 bug in the agent, 71 process not started or not stopped, 74 disk, 75 TPU
device busy (see `errors`).
"""

from __future__ import annotations

import sys

if sys.version_info < (3, 10):  # noqa: UP036  (who knows what `python3` is on a worker)
    sys.exit('{"error": "this worker\'s python3 is older than 3.10: choose a newer TPU runtime version"}')

import json
from argparse import ArgumentParser
from typing import Any, NoReturn

from tpuherd_agent import commands
from tpuherd_agent.errors import DISK, INTERNAL, USAGE, AgentError, describe


class _Parser(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise AgentError(f"{self.prog}: {message}", USAGE)


def _parser() -> ArgumentParser:
    parser = _Parser(prog="tpuherd-agent", description="Owns the workload's processes on this worker.")
    subparsers = parser.add_subparsers(dest="command", required=True)
    options = {
        "start": (),
        "status": (("--attempt", {}),),
        "watch": (_ATTEMPT, _OFFSET),
        "log": (_ATTEMPT, _OFFSET, ("--limit", {"type": _count})),
        "stop": (_ATTEMPT, _GRACE),
        "kill": (_ATTEMPT,),
        "devices": (),
        "ps": (),
        "end": (("--pid", {"type": _count}), ("--exec", {"default": ""}), _GRACE),
        "look": (_PATH,),
        "room": (_PATH, _SIZE, ("--folder", _SWITCH), _REPLACE),
        "receive": (_PATH, _TOKEN, _OFFSET, _SIZE, ("--last", _SWITCH), _REPLACE),
        "discard": (_PATH, _TOKEN),
        "send": (_PATH,),
        "health": (),
        "unlock": (),
        "remount": (),
        "clean": (("--keep", {"type": _count, "required": True}),),
    }
    for name, own in options.items():
        run = getattr(commands, name)
        subparser = subparsers.add_parser(name, help=run.__doc__)
        subparser.set_defaults(run=run)
        for flag, settings in own:
            subparser.add_argument(flag, **settings)
    return parser


def _count(text: str) -> int:
    if not text.isdecimal():
        raise ValueError(text)
    return int(text)


def _seconds(text: str) -> float:
    if not 0 <= float(text) < 1e6:
        raise ValueError(text)
    return float(text)


def _token(text: str) -> str:
    if not text.isalnum():
        raise ValueError(text)
    return text


_ATTEMPT = ("--attempt", {"required": True})
_SWITCH: dict[str, Any] = {"action": "store_true"}
_PATH = ("--path", {"required": True})
_TOKEN = ("--token", {"required": True, "type": _token})
_SIZE = ("--size", {"type": _count, "required": True})
_REPLACE = ("--replace", _SWITCH)
_GRACE = ("--grace", {"type": _seconds, "help": "seconds between TERM and KILL"})
_OFFSET = ("--offset", {"type": _count, "default": 0})


def main() -> None:
    """Runs one command and exits."""
    try:
        arguments = _parser().parse_args()
        arguments.run(arguments)
    except AgentError as error:
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


def _fail(message: str, code: int, details: dict[str, object]) -> NoReturn:
    sys.stderr.write(json.dumps({"error": message, **details}) + "\n")
    sys.exit(code)


if __name__ == "__main__":
    main()
