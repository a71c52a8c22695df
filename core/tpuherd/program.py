"""Invoke's program, with our help and our exit code for a wrong command line."""

from __future__ import annotations

import inspect
import re
import sys
from typing import TYPE_CHECKING, Any

from invoke.exceptions import Exit, ParseError
from invoke.parser.context import to_flag
from invoke.program import Program
from invoke.util import Lexicon  # type: ignore[attr-defined]

from tpuherd.cli import help_first
from tpuherd.config.choices import nearest
from tpuherd.exit_codes import ExitCode
from tpuherd.tasks.words import as_options, words_of
from tpuherd.warming import write_bytecode

if TYPE_CHECKING:
    from invoke.parser.argument import Argument
    from invoke.parser.context import ParserContext
    from invoke.parser.parser import Parser

INTRODUCTION = """tpuherd runs jobs on Cloud TPUs, real or emulated: it gets them, prepares them, sends the
code, runs the work, brings the results home and gives the TPUs back.

  tpuherd plan JOB.yaml       what a job would ask of whom, without doing it
  tpuherd run JOB.yaml        run it to its end; the same command continues it after a crash
  tpuherd COMMAND --help      what one command does, and its options
"""


class _Shared(Lexicon):
    """What each command takes: invoke would copy all of it for every parse, and the one in use once more."""

    def __deepcopy__(self, memo: object) -> _Shared:
        return self


class TpuherdProgram(Program):
    """Invoke's program with our help, and our exit code for a wrong command line."""

    def parse_core(self, argv: list[str] | None) -> None:
        """See `invoke.program.Program`; a wrong command line ends with `ExitCode.USAGE`."""
        words = sys.argv if argv is None else argv
        self._with_usage_code(super().parse_core, help_first(words, self._names()))
        write_bytecode()

    def parse_tasks(self) -> None:
        """See `parse_core`; words become options, see `tasks.words`."""
        self.core.unparsed = as_options(self.core.unparsed, self.collection)
        self._with_usage_code(super().parse_tasks)

    def _make_parser(self) -> Parser:
        parser = super()._make_parser()
        shared = _Shared(parser.contexts)  # type: ignore[no-untyped-call]
        shared.aliases.update(parser.contexts.aliases)
        parser.contexts = shared
        return parser

    def print_version(self) -> None:
        """The name and the version, which takes a while to find out."""
        from importlib.metadata import version

        sys.stdout.write(f"{self.name} {version('tpuherd')}\n")

    def print_help(self) -> None:
        """What this is, how to begin, and all commands."""
        sys.stdout.write(f"{INTRODUCTION}\n")
        self.list_tasks()

    def print_task_help(self, name: str) -> None:
        """How one command is called, what it does, and its options."""
        context = self.parser.contexts[name]
        task = self.collection[name]
        words = [f"[{words_of(task).upper()} …]"] if words_of(task) else []
        places = " ".join([argument.name.upper() for argument in context.positional_args] + words)
        text = inspect.getdoc(task) or ""
        sys.stdout.write(f"Usage: {self.binary} {name} {places + ' ' * bool(places)}[OPTIONS]\n\n{text}\n\n")
        self.print_columns([_option(context, argument) for argument in _options(context)])

    def _names(self) -> set[str]:
        by_name = self.namespace.task_names if self.namespace else {}
        return {name for first, others in by_name.items() for name in (first, *others)}

    def _with_usage_code(self, parse: Any, *arguments: Any) -> None:
        try:
            parse(*arguments)
        except ParseError as error:
            raise Exit(f"tpuherd: {self._explained(error)}", code=ExitCode.USAGE) from error

    def _explained(self, error: ParseError) -> str:
        unknown = re.fullmatch(r"No idea what '(.+)' is!", str(error))
        if not unknown:
            return f"{error}; `tpuherd COMMAND --help` explains one command"
        return f"there is no command or option {unknown[1]!r}; {nearest(unknown[1], sorted(self._names()))}"


def _options(context: ParserContext) -> list[Argument]:
    """The arguments that are given by name, each once."""
    return [argument for argument in context.args.values() if not argument.positional]


def _option(context: ParserContext, argument: Argument) -> tuple[str, str]:
    """The names of an option, longest first, and its help."""
    names = [*sorted(context.names_for(to_flag(str(argument.name))), key=len, reverse=True)]
    value = "=VALUE" if argument.takes_value else ""
    return ", ".join(names) + value, argument.help or ""
