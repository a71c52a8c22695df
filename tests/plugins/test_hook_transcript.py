"""All hook calls of a whole job on the emulated cloud, in order, as a plugin of an observer hears them."""

from __future__ import annotations

import inspect
import json

import pytest

from tpuherd import hookspecs
from tpuherd.markers import NAME

JOB = "cloud: emulator\ntpu: {accelerator: v5litepod-8, zone: us-west4-a}\n"

PURE = ("config_section", "register_tasks", "plan", "prompt_forms", "detectors", "observe")
"""Hooks that are called as often as one likes: for every command, or while the workload runs."""


def observer():
    """The source of a plugin with a wrapper around every hook; each writes a line before and after."""
    source = [
        "import json, os, pathlib",
        "from tpuherd import hookimpl",
        "def say(*words):",
        "    with pathlib.Path(os.environ['TRANSCRIPT']).open('a') as file:",
        "        file.write(json.dumps(words) + '\\n')",
    ]
    for name, spec in vars(hookspecs).items():
        if getattr(spec, f"{NAME}_spec", None) is None or name == "on_event":
            continue
        source += [
            "@hookimpl(wrapper=True, tryfirst=True)",
            f"def {name}({', '.join(inspect.signature(spec).parameters)}):",
            f"    say('call', {name!r})",
            "    try:",
            "        answer = yield",
            "    except BaseException as error:",
            f"        say('raise', {name!r}, type(error).__name__)",
            "        raise",
            f"    say('return', {name!r}, type(answer).__name__)",
            "    return answer",
        ]
    source += ["@hookimpl", "def on_event(event):", "    say('event', event.kind, event.text.split(':')[0])"]
    return "\n".join(source) + "\n"


@pytest.fixture
def transcript(site, tpuherd_run, monkeypatch, tmp_path):
    """Run a job and return what the observer wrote, without the hooks of every command."""
    file = tmp_path / "transcript.jsonl"
    site.module("observer", observer())

    def run(text, exit_code):
        (tmp_path / "job.yaml").write_text(text)
        monkeypatch.setenv("TRANSCRIPT", str(file))
        monkeypatch.setenv("TPUHERD_PLUGINS", "fake_observer")
        done = tpuherd_run("run", tmp_path / "job.yaml")
        assert done.exit_code == exit_code, done.stderr
        lines = [tuple(json.loads(line)) for line in file.read_text().splitlines()]
        return [line for line in lines if line[1] not in PURE]

    return run


def stage(name, answer, *inner):
    return [
        ("event", "stage.started", name),
        ("call", name),
        *inner,
        ("return", name, answer),
        ("event", "stage.ended", name),
    ]


def workload(*inner):
    started, ended = ("event", "workload.started"), ("event", "workload.ended")
    return [(*started, "on 1 workers"), *inner, (*ended, "on 1 workers")]


BEGINNING = [
    ("call", "connect_cloud"),
    ("return", "connect_cloud", "Cloud"),
    *stage("provision", "Allocation"),
    *stage("prepare_env", "Environment"),
    *stage("sync_code", "SyncedCode"),
]
WORKLOAD = stage("run_workload", "WorkloadExit", *workload())
FAILED = [*WORKLOAD[:-1], ("event", "stage.failed", "run_workload")]

LEAVING = [*stage("release", "bool"), ("call", "leave_cloud"), ("return", "leave_cloud", "list")]


@pytest.mark.slow
def test_a_job_that_succeeds(transcript):
    calls = transcript(JOB + "command: {cmd: 'true'}\n", exit_code=0)

    assert calls == [
        *BEGINNING,
        *WORKLOAD,
        *stage("collect", "NoneType"),
        *LEAVING,
        ("event", "job.ended", "succeeded"),
    ]


@pytest.mark.slow
def test_a_job_that_fails(transcript):
    calls = transcript(JOB + "command: {cmd: exit 3}\n", exit_code=8)

    detectors = calls.count(("call", "detect_failure"))
    assert detectors >= 1
    assert calls == [
        *BEGINNING,
        *FAILED,
        *[("call", "detect_failure"), ("return", "detect_failure", "list")] * detectors,
        ("event", "diagnosis", "user-error"),
        ("call", "recover"),
        ("return", "recover", "GiveUp"),
        ("event", "recovery", "GiveUp"),
        *LEAVING,
        ("event", "job.ended", "failed"),
    ]
