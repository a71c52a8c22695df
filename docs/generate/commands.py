"""The page of commands, from the namespace that `tpuherd` and `inv` serve."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from markup import code, note, table

from tpuherd.tasks.namespace import namespace
from tpuherd.tasks.words import words_of

if TYPE_CHECKING:
    from invoke.parser.argument import Argument
    from invoke.tasks import Task

HEAD = """
# Commands

All of these are tasks of one [invoke](https://www.pyinvoke.org) namespace. `tpuherd NAME` and, in this
repository, `inv NAME` are the same. `tpuherd --list` shows all, `tpuherd NAME --help` shows one. Several
tasks in one command run in order, for example `tpuherd provision --job job.yaml prepare-env`: give `--job` to
the first one, the others take it from there. Plugins add tasks with the hook `register_tasks`, see
[hooks](hooks.md).

A *job* is meant by its id, by the start of its id, or by its name (the newest of that name). Results go to
standard output, progress and errors to standard error. [Exit codes](exit-codes.md) say what happened.
"""


def page() -> str:
    """Return the whole page."""
    names = sorted(namespace.task_names, key=lambda name: ("." in name, name))
    sections = [_section(name, namespace[name]) for name in names]
    return note("the tasks themselves") + HEAD + "".join(sections)


def _section(name: str, task: Task[Any]) -> str:
    arguments = task.get_arguments()
    words = [f"[{words_of(task).upper()} …]"] if words_of(task) else []
    usage = " ".join(["tpuherd", name, *(_upper(a) for a in arguments if _is_positional(a)), *words])
    text = inspect.cleandoc(task.__doc__ or "")
    rows = [(_spelling(argument), _value(argument), argument.help or "") for argument in arguments]
    options = "\n" + table(("option", "default", "meaning"), rows) if rows else ""
    return f"\n## {name}\n\n```sh\n{usage}\n```\n\n{text}\n{options}"


def _spelling(argument: Argument) -> str:
    flags = code(", ".join(f"-{name}" if len(name) == 1 else f"--{name}" for name in argument.names))
    kind = "" if argument.kind is bool else " NUMBER" if argument.kind in (int, float) else " TEXT"
    named = f"{flags[:-1]}{kind}`"
    return f"{code(_upper(argument))} or {named}" if _is_positional(argument) else named


def _value(argument: Argument) -> str:
    if _is_positional(argument) or argument.default in (None, inspect.Parameter.empty, "", False, []):
        return "required" if _is_positional(argument) else ""
    return code(str(argument.default))


def _is_positional(argument: Argument) -> bool:
    """Lists without a default count as positional for invoke, but their values only come with the flag."""
    return bool(argument.positional) and argument.kind is not list


def _upper(argument: Argument) -> str:
    return str(argument.name).upper().replace("-", "_")
