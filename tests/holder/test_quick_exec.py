"""Which command lines the short way understands; all others go the long way."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tpuherd.holder.asked import Exec, parse
from tpuherd.holder.quick import quick_exec
from tpuherd.tasks.alone import alone


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (["exec", "job", "--", "echo", "a b"], Exec("job", "echo 'a b'")),
        (["exec", "job", "--command", "exit 3"], Exec("job", "exit 3")),
        (["exec", "--command=a=b --x", "job"], Exec("job", "a=b --x")),
        (["exec", "--workers", "0-2", "job", "--", "x"], Exec("job", "x", "0-2")),
        (
            ["exec", "job", "--workers=1", "--json", "--timeout-s=2.5", "--", "x"],
            Exec("job", "x", "1", 2.5, True),
        ),
        (["exec", "job", "--", "ls", "--json", "--", "-l"], Exec("job", "ls --json -- -l")),
    ],
)
def test_plain_ones(words: list[str], asked: Exec) -> None:
    assert parse(words) == asked


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["list"],
        ["exec"],
        ["exec", "job"],
        ["exec", "job", "--"],
        ["exec", "--help"],
        ["exec", "job", "--help", "--", "x"],
        ["exec", "job", "other", "--", "x"],
        ["exec", "--", "x"],
        ["exec", "job", "--timeout-s", "soon", "--", "x"],
        ["exec", "job", "--unknown", "--", "x"],
        ["exec", "job", "--stdin", "--", "x"],
        ["exec", "job", "--bare", "--", "x"],
        ["exec", "job", "--workers", "--", "x"],
        ["exec", "job", "--workers=0", "--workers=1", "--", "x"],
        ["exec", "job", "-w", "--", "x"],
        ["--version", "exec", "job", "--", "x"],
    ],
)
def test_all_others_are_left_alone(words: list[str]) -> None:
    assert parse(words) is None


@pytest.mark.parametrize(
    ("words", "commands"),
    [
        (["list"], ["list"]),
        (["list", "--live", "--json"], ["list"]),
        (["status", "job", "--json"], ["status"]),
        (["status"], None),
        (["status", "job", "other"], None),
        (["list", "status"], None),
        (["exec", "job", "--", "list"], ["exec"]),
        (["exec", "job", "--help"], None),
        (["list", "--help"], None),
        (["list", "--wrong"], None),
        (["run", "job.yaml"], None),
        ([], None),
    ],
)
def test_plain_commands_are_made_alone(words: list[str], commands: list[str] | None) -> None:
    made = alone(words)
    assert (made and list(made.task_names)) == commands


def test_a_store_beside_the_current_folder_is_left_alone(home, monkeypatch) -> None:
    monkeypatch.setenv("TPUHERD_DATABASE", "sqlite:///here.sqlite")
    assert quick_exec(["exec", "job", "--", "true"]) is None
    assert not (home / "holder").exists()


def test_the_short_way_imports_nothing_heavy() -> None:
    heavy = {"invoke", "pluggy", "pydantic", "sqlalchemy", "fabric", "paramiko", "rich", "yaml", "google"}
    code = (
        "import sys, tpuherd.cli, tpuherd.holder.workers, tpuherd.reach.executing\n"
        f"print({heavy} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
