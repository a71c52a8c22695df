"""The `tpuherd` command: the same tasks as `inv` in this repository, anywhere."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NoReturn

from tpuherd.garbage import look_later
from tpuherd.holder.quick import quick_exec
from tpuherd.lifetime import one_command
from tpuherd.tasks.alone import alone

if TYPE_CHECKING:
    from tpuherd.tasks.collection import TaskCollection


def help_first(words: list[str], tasks: set[str]) -> list[str]:
    """Turn `tpuherd run --help` into `tpuherd --help run`: invoke would take `--help` for the job file."""
    own = words[: words.index("--")] if "--" in words else words
    task = next((word for word in own[1:] if word in tasks), None)
    if task is None or not {"-h", "--help"} & set(own[own.index(task) :]):
        return words
    return [words[0], "--help", task]


def main() -> None:
    """Run the command line of this process, and end it."""
    with one_command():
        _main()


def _main() -> None:
    """Run it here, or have it run by a process that has imported everything already."""
    if sys.argv[1:2] != ["rerun"]:
        here()
    from tpuherd.holder.handing import hand_over, start_for_the_next

    code = hand_over()
    if code is not None:
        raise SystemExit(code)
    try:
        here()
    finally:
        start_for_the_next()


def here() -> NoReturn:
    """Run the command line of this process, and end it."""
    look_later()
    try:
        code = quick_exec(sys.argv[1:])
        if code is None:
            _run()
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python complains at its exit
        code = None
    raise SystemExit(code or 0)


def _run() -> None:
    """What is imported here takes longer than many a command."""
    from tpuherd.errors import TpuherdError

    try:
        namespace = _namespace()
    except TpuherdError as error:
        sys.stderr.write(f"tpuherd: {error}\n")
        raise SystemExit(error.exit_code) from error
    from tpuherd.program import TpuherdProgram

    TpuherdProgram(namespace=namespace, name="tpuherd", binary="tpuherd", binary_names=["tpuherd"]).run()


def _namespace() -> TaskCollection:
    """The commands that this command line may mean."""
    only = alone(sys.argv[1:])
    if only is not None:
        return only
    from tpuherd.tasks.namespace import namespace

    return namespace
