"""What every task has in common: errors become one message and an exit code."""

from __future__ import annotations

import functools
import os
import sys
import traceback
from typing import TYPE_CHECKING, Any, TypeVar, cast

from invoke.exceptions import Exit
from invoke.tasks import task

from tpuherd.errors import TpuherdError
from tpuherd.exit_codes import ExitCode
from tpuherd.output.reporter import paint
from tpuherd.tasks.words import WordTask

if TYPE_CHECKING:
    from collections.abc import Callable

    from invoke.tasks import Task

F = TypeVar("F", bound="Callable[..., object]")

DEBUG_VARIABLE = "TPUHERD_DEBUG"
"""Set it to see the traceback of errors that are otherwise one message."""


def command(*, words: str = "", **options: Any) -> Callable[[F], Task[F]]:
    """Make an invoke task of a function; plugins use it for theirs, too.

    Args:
        words: an iterable argument that the words of the command line go to, see `tasks.words`.
        options: those of `invoke.task`: `positional`, `help`, `iterable`, `name` …; unless named, no argument
            is positional, and there are no one-letter flags.

    A `TpuherdError` is printed without a traceback and ends the process with its exit code.
    """
    options = {"positional": [], "auto_shortflags": False, "iterable": [words] if words else [], **options}

    def decorate(function: F) -> Task[F]:
        @functools.wraps(function)
        def guarded(*arguments: Any, **named: Any) -> object:
            try:
                return function(*arguments, **named)
            except TpuherdError as error:
                say_error(error)
                raise Exit(code=error.exit_code) from error
            except KeyboardInterrupt as error:
                raise Exit(code=ExitCode.CANCELLED) from error

        made = cast("WordTask", task(guarded, klass=WordTask, **options))
        made.words = words
        return cast("Task[F]", made)

    return decorate


def say_error(error: TpuherdError) -> None:
    """Print an error without its traceback, unless that is wanted."""
    if os.environ.get(DEBUG_VARIABLE):
        traceback.print_exception(error)
    notes = "".join(f"\n{note}" for note in getattr(error, "__notes__", ()))
    sys.stdout.flush()
    sys.stderr.write(f"{paint('tpuherd:', '31', sys.stderr)} {error}{notes}\n")


def words_after_dashes() -> list[str]:
    """The words after `--` on the command line; invoke joins them, which loses their borders."""
    return sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else []
