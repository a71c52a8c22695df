"""Forms of third parties: from a record to none, one or several documents, always the same."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import extracting
import numpy as np
import pytest
import yaml

import tpuherd_activations
from tpuherd import ConfigError, PluginError, PromptForm, hookimpl
from tpuherd.hooks import GlobalHooks
from tpuherd_activations.forms import PACKAGE, module_files
from tpuherd_activations.worker.errors import InputError
from tpuherd_activations.worker.input.functions import form_of, source_digest

ROOT = Path(__file__).parents[2]
QUIZ = ROOT / "examples/plugins/tpuherd-quiz"
CODE = """
from random import Random

LIMIT = 3

def slices(record, number, most=LIMIT, *, seed=0):
    ids = record["ids"]
    return [ids[: 20 * (copy + 1)] for copy in range(Random(f"{seed} {number}").randint(0, most))]

def whole(record, number):
    return record["ids"]

def text(record, number):
    return "a text"

def divided(record, number):
    return [[len(record.get("ids")) // abs(number - 2)]]
"""


@pytest.fixture
def code(tmp_path, monkeypatch):
    """A folder of code with a module of a name of its own; gives its name."""
    name = f"prompts_of_{tmp_path.name}"
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / f"{name}.py").write_text(CODE)
    monkeypatch.syspath_prepend(str(tmp_path / "code"))
    return name


@pytest.fixture
def source(tmp_path):
    extracting.write(tmp_path / "in/a.jsonl", extracting.documents(12))
    return str(tmp_path / "in")


def function(code, name="slices", **options):
    return form_of("mine", f"{code}:{name}", "", options)


def extracted(source, output, code, **options):
    named = replace(
        extracting.CONTENT,
        form="mine",
        form_source=source_digest("mine", f"{code}:slices"),
        form_options=options,
    )
    return extracting.extract(source, str(output), content=named, form=function(code, **options))


def contents(address):
    folder = Path(address)
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_one_record_becomes_none_one_or_several_documents(source, tmp_path, code):
    dataset = tpuherd_activations.open(extracted(source, tmp_path / "out", code))
    rows = dataset.take(np.arange(len(dataset)))
    make = function(code)
    expected = [
        (record, prompt, ids)
        for record, given in enumerate(extracting.documents(12))
        for prompt, ids in enumerate(make(given, record))
    ]
    counts = [len(make(given, record)) for record, given in enumerate(extracting.documents(12))]
    assert {0, 1, 3} <= set(counts)
    assert np.array_equal(rows.token_ids, np.concatenate([ids for *_, ids in expected]))
    assert np.array_equal(rows.document_ids, np.concatenate([[r] * len(ids) for r, _, ids in expected]))
    assert np.array_equal(rows.prompts, np.concatenate([[p] * len(ids) for _, p, ids in expected]))
    assert np.array_equal(rows.positions, np.concatenate([np.arange(len(ids)) for *_, ids in expected]))
    values = np.concatenate([extracting.expected(np.array(ids, int)) for *_, ids in expected])
    assert np.array_equal(rows.activations[extracting.HOOKS[1].name].reshape(-1, 6), values + 1)
    assert dataset.totals["documents"] == 12
    assert dataset.totals["prompts"] == sum(counts)


def test_the_same_function_makes_the_same_bytes_and_another_one_another_dataset(source, tmp_path, code):
    first = extracted(source, tmp_path / "out", code)
    assert contents(extracted(source, tmp_path / "again", code)) == contents(first)
    assert extracted(source, tmp_path / "out", code) == first
    assert extracted(source, tmp_path / "out", code, seed=1) != first
    file = tmp_path / "code" / f"{code}.py"
    file.write_text(file.read_text() + "# changed\n")
    assert extracted(source, tmp_path / "out", code) != first


def test_a_package_counts_with_all_its_files(tmp_path, monkeypatch):
    name = f"package_of_{tmp_path.name}"
    (tmp_path / name / "below").mkdir(parents=True)
    (tmp_path / name / "__init__.py").write_text("from .below.more import make\n")
    more = tmp_path / name / "below/more.py"
    more.write_text("def make(record, number):\n    return []\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    before = source_digest("mine", f"{name}:make")
    assert set(module_files(name)) == {f"{PACKAGE}/{name}/__init__.py", f"{PACKAGE}/{name}/below/more.py"}
    more.write_text("def make(record, number):\n    return [[1]]\n")
    assert source_digest("mine", f"{name}:make") != before


@pytest.mark.parametrize(
    ("name", "record", "message"),
    [
        ("whole", '{"id": []}', "there is no 'ids'; there are id"),
        ("slices", '{"ids": 3}', "key 'ids': TypeError: 'int' object is not subscriptable (prompts_of"),
        ("divided", '{"ids": [1]}', "key 'ids': ZeroDivisionError: integer division or modulo by zero"),
        ("text", '{"ids": [1]}', "expected a list of documents, got str; for one, return [it]"),
    ],
)
def test_a_record_that_cannot_be_turned_is_named_by_file_line_and_key(tmp_path, code, name, record, message):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.jsonl").write_text(f"\n\n{record}\n" * 3)
    with pytest.raises(InputError, match=re.escape(f"form mine: {message}")) as caught:
        extracting.extract(str(tmp_path / "in"), str(tmp_path / "out"), form=function(code, name))
    line = 9 if name == "divided" else 3  # the third record, or the first
    assert f"a.jsonl: line {line}: form mine" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("nowhere_at_all:make", {}, "form mine: cannot import nowhere_at_all: ModuleNotFoundError"),
        ("{code}:slice", {}, "there is no function"),
        ("{code}:slices", {"many": 3}, "got an unexpected keyword argument 'many'"),
    ],
)
def test_workers_refuse_what_they_cannot_call_before_they_compute(code, name, options, message):
    with pytest.raises(InputError, match=re.escape(message)):
        form_of("mine", name.format(code=code), "", options)


@pytest.fixture
def job(tmp_path, code):
    """A job whose code has the module; keyword arguments change the section `activations`."""
    made = tmp_path / "made"
    subprocess.run([sys.executable, ROOT / "examples/activations/make_input.py", made], check=True)

    def write(sync="worktree", **changes):
        content = yaml.safe_load((ROOT / "examples/activations.yaml").read_text())
        content["activations"] |= {"model": str(made / "model"), "input": str(made / "documents")} | changes
        content["code"] = {"sync": sync, "path": "code"}
        content["output"] = {"directory": str(tmp_path / "out")}
        file = tmp_path / "job.yaml"
        file.write_text(yaml.safe_dump(content))
        return file

    return write


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"form": "texts"},
            "activations.form: there is no form 'texts'; did you mean 'text'? valid: text, chat",
        ),
        ({"form_options": {"a": 1}}, "activations.form_options: the form text takes none"),
        ({"form": "{code}s:slices"}, "there is no module {code}s in"),
        ({"form": "{code}:slice"}, "did you mean 'slices'? valid: slices, whole, text, divided"),
        ({"form": "{code}:slices", "form_options": {"mos": 1}}, "did you mean 'most'? valid: most, seed"),
        ({"form": "{code}:slices", "sync": "none"}, "is of the job's code, and code.sync sends none"),
    ],
)
def test_the_plan_refuses_what_is_not_there(job, code, tpuherd_run, changes, message):
    named = {key: value.format(code=code) if key == "form" else value for key, value in changes.items()}
    planned = tpuherd_run("plan", job(**named))
    assert planned.exit_code == 3, planned.stdout
    assert message.format(code=code) in " ".join(planned.stderr.split())


def test_the_plan_takes_what_is_there(job, code, tpuherd_run):
    planned = tpuherd_run("plan", job(form=f"{code}:slices", form_options={"most": 2}))
    assert planned.exit_code == 0, planned.stderr
    assert f"before {code}:slices" in " ".join(planned.stdout.split())


@pytest.fixture
def quiz(monkeypatch, tpuherd_home):
    monkeypatch.setenv("PYTHONPATH", str(QUIZ / "src"))
    monkeypatch.setenv("TPUHERD_PLUGINS", "tpuherd_quiz")


def test_forms_of_plugins_are_shown_and_refused_by_name(quiz, job, tpuherd_run):
    shown = json.loads(tpuherd_run("activations.forms", "--json").stdout)
    assert [row["form"] for row in shown] == ["text", "chat", "tokens", "quiz"]
    assert shown[-1]["plugin"] == "tpuherd_quiz"
    planned = tpuherd_run("plan", job(form="quizz"))
    assert "did you mean 'quiz'? valid: text, chat, tokens, quiz" in " ".join(planned.stderr.split())
    planned = tpuherd_run("plan", job(form="quiz", form_options={"copie": 1}))
    assert "did you mean 'copies'? valid: copies, seed" in " ".join(planned.stderr.split())


def test_two_plugins_with_one_name_are_refused(tpuherd_plugins):
    class Plugin:
        @hookimpl
        def prompt_forms(self):
            return [PromptForm(name="same", function="a:b", description="")]

    for name in ("one", "two"):
        tpuherd_plugins.register(Plugin(), name=name)
    with pytest.raises(PluginError, match="plugins 'one' and 'two' both have a prompt form 'same'"):
        GlobalHooks(tpuherd_plugins).prompt_forms()


def test_a_plugin_without_its_module_is_refused():
    with pytest.raises(ConfigError, match=r"the plugin.s module tpuherd_activations\.nowhere is not there"):
        module_files("tpuherd_activations.nowhere")


@pytest.mark.slow
def test_the_example_plugin_passes_its_own_tests(tmp_path, quiz):
    plugin = shutil.copytree(QUIZ, tmp_path / "tpuherd-quiz")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=plugin, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout
    assert "4 passed" in done.stdout
