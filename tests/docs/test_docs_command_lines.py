"""Every command line of ours in the documentation names a task that exists, with flags that it has."""

from __future__ import annotations

import re
import shlex

import pytest
from doc_pages import blocks
from invoke.exceptions import ParseError
from invoke.parser import Parser, ParserContext
from invoke.program import Program

from tpuherd.tasks.namespace import namespace
from tpuherd.tasks.words import as_options

OURS = ("tpuherd", "inv")
OPERATORS = re.compile(r"[;|&<>()]+")
VARIABLE = re.compile(r"[A-Z_]+=.*")


def parse(words):
    """Parse as invoke does; raises `ParseError` for what it would refuse."""
    program = Program(namespace=namespace)
    core = ParserContext(args=[*program.core_args(), *program.task_args()])
    parser = Parser(initial=core, contexts=namespace.to_contexts())
    return parser.parse_argv(words)


def commands_in(line):
    """The commands of a shell line that are ours, as words; a prompt and a comment are no part of it."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    current = []
    for word in [*lexer, ";"]:
        if not OPERATORS.fullmatch(word):
            current.append(word)
            continue
        while current and VARIABLE.fullmatch(current[0]):
            del current[0]
        if current and current[0] in OURS:
            yield current
        current = []


def lines(block):
    """What is typed: with a prompt in front in console blocks, everything in others."""
    typed = block.text.replace("\\\n", " ").splitlines()
    if block.info == "console":
        typed = [line[2:] for line in typed if line.startswith("$ ")]
    return [line for line in typed if any(name in line for name in OURS)]


TYPED = [(str(block), line) for block in blocks("console", "sh") for line in lines(block)]


@pytest.mark.parametrize(("where", "line"), TYPED, ids=[f"{where} {line}" for where, line in TYPED])
def test_a_command_line_is_one(where, line):
    for quoted in re.findall(r"\$\((tpuherd [^)]*)\)|'(tpuherd [^']*)'", line):
        parse(shlex.split("".join(quoted))[1:])
    for words in commands_in(line):
        typed = as_options(words[1:], namespace) if words[0] == "tpuherd" else words[1:]
        found = parse(typed)
        assert len(found) > 1 or words[1].startswith("--"), f"{where}: no task in {line}"


@pytest.mark.parametrize(
    "line", ["tpuherd rum job.yaml", "tpuherd run job.yaml --kep", "inv provision --jbo x"]
)
def test_a_wrong_command_line_is_noticed(line):
    (words,) = commands_in(line)
    with pytest.raises(ParseError):
        parse(words[1:])


def test_all_commands_of_a_line_are_seen():
    line = "$ X=1 tpuherd list --json | head; inv --list && tpuherd cloud.up # tpuherd nothing"
    assert list(commands_in(line[2:])) == [
        ["tpuherd", "list", "--json"],
        ["inv", "--list"],
        ["tpuherd", "cloud.up"],
    ]
    assert len(TYPED) > 40
