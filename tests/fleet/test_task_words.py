"""Words of a command line that become options."""

from __future__ import annotations

import pytest

from tpuherd.cli import help_first
from tpuherd.tasks.namespace import namespace
from tpuherd.tasks.words import as_options, words_of


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("tpus", "tpus"),
        ("tpus v4 v5e-8", "tpus --pattern=v4 --pattern=v5e-8"),
        ("tpus.list v4", "tpus.list --pattern=v4"),
        ("tpus --zone us-a1-b v4 --json ada", "tpus --zone us-a1-b --pattern=v4 --json --pattern=ada"),
        ("tpus --zone=us-a1-b v4", "tpus --zone=us-a1-b --pattern=v4"),
        ("tpus.delete a b --yes --no-wait", "tpus.delete --name=a --name=b --yes --no-wait"),
        ("tpus.delete --timeout-s 5 a", "tpus.delete --timeout-s 5 --name=a"),
        ("status tpus", "status tpus"),
        ("cancel tpus.delete", "cancel tpus.delete"),
        ("config x", "config x"),
        ("nothing x", "nothing x"),
        ("", ""),
    ],
)
def test_words(given, made):
    assert as_options(given.split(), namespace) == made.split()


def test_only_tasks_that_say_so_take_words():
    assert words_of(namespace["tpus"]) == "pattern"
    assert words_of(namespace["tpus.stop"]) == "name"
    assert words_of(namespace["status"]) == ""


def test_help_of_a_collection_that_is_a_command():
    names = {name for first, others in namespace.task_names.items() for name in (first, *others)}
    assert help_first(["tpuherd", "tpus", "v4", "--help"], names) == ["tpuherd", "--help", "tpus"]
