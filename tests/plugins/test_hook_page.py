"""The hooks, their docstrings, the page about them, and the plugins that implement them agree."""

from __future__ import annotations

import inspect
import re

import pytest
from hook_page import hook_parts, table_rows

from tpuherd import hookspecs
from tpuherd.markers import NAME
from tpuherd.providers import NAMED_BY

SPECS = {
    name: value for name, value in vars(hookspecs).items() if getattr(value, f"{NAME}_spec", None) is not None
}
AGAIN = "If it is called again"
EACH_HOOK = pytest.mark.parametrize("name", SPECS)


def sections(name):
    """Heading to text of a docstring's sections, in order; what comes before the first is under `""`."""
    pieces = re.split(r"^(\w[\w ]*):$", inspect.getdoc(SPECS[name]), flags=re.MULTILINE)
    return {"": pieces[0], **dict(zip(pieces[1::2], pieces[2::2], strict=True))}


def arguments(name):
    return list(inspect.signature(SPECS[name]).parameters)


def test_there_are_hooks():
    assert {"provision", "prepare_env", "sync_code", "run_workload", "detect_failure", "recover"} <= set(
        SPECS
    )


@EACH_HOOK
def test_the_heading_on_the_page_is_the_signature(name):
    assert hook_parts()[name].heading == f"`{name}({', '.join(arguments(name))})`"


def test_the_page_and_its_table_name_all_hooks_and_no_other():
    assert sorted(hook_parts()) == sorted(SPECS)
    assert sorted(row[0].strip("`") for row in table_rows()) == sorted(SPECS)


def test_the_table_says_who_is_asked():
    said = {row[0].strip("`"): row[1].rpartition("chosen by ")[2].strip("`") for row in table_rows()}
    assert {hook: key for hook, key in said.items() if not key.startswith(("all", "the one"))} == NAMED_BY


@EACH_HOOK
def test_the_page_says_the_same_about_a_second_call_as_the_docstring(name):
    assert hook_parts()[name].again == " ".join(sections(name)[AGAIN].split())


@EACH_HOOK
def test_a_docstring_has_its_sections_in_order(name):
    signature = inspect.signature(SPECS[name])
    wanted = ["Args"] * bool(signature.parameters)
    wanted += ["Returns"] * (signature.return_annotation != "None")
    assert list(sections(name)) == ["", *wanted, "Raises", AGAIN]
    assert all(text.strip() for text in sections(name).values())


@EACH_HOOK
def test_a_docstring_describes_exactly_the_arguments_in_order(name):
    described = re.findall(r"^    (\w+): \S", sections(name).get("Args", ""), flags=re.MULTILINE)
    assert described == arguments(name)


@EACH_HOOK
def test_a_docstring_begins_with_one_sentence(name):
    first = inspect.getdoc(SPECS[name]).splitlines()[0]
    assert first.endswith(".")
    assert "called" in sections(name)[""].lower(), "when is it called?"


def test_built_in_plugins_take_what_the_hooks_give(tpuherd_plugins):
    wrong = []
    seen = 0
    for name, spec in SPECS.items():
        wanted = inspect.get_annotations(spec)
        for impl in getattr(tpuherd_plugins.hook, name).get_hookimpls():
            given = inspect.get_annotations(impl.function)
            seen += 1
            answers = {wanted["return"].removesuffix(" | None"), wanted["return"]}
            if impl.wrapper:  # passes the answer of the chosen plugin on
                answers = {f"Generator[None, {wanted['return']}, {wanted['return']}]"}
            if given.pop("return").removesuffix(" | None") not in answers:
                wrong.append(f"{impl.plugin_name}.{name} returns something else than {wanted['return']}")
            wrong += [
                f"{impl.plugin_name}.{name}: {argument} is {kind}, not {wanted.get(argument)}"
                for argument, kind in given.items()
                if kind != wanted.get(argument)
            ]
            if set(impl.argnames) != set(given):
                wrong.append(f"{impl.plugin_name}.{name} has arguments without a type")
    assert not wrong
    assert seen > 15
