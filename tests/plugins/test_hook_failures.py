"""What becomes of an exception in a hook: it names the plugin, and costs no more than it must."""

from __future__ import annotations

import logging
import types

import pytest

from tpuherd import (
    Diagnosis,
    Event,
    FailureClass,
    Observation,
    PluginError,
    PrepareError,
    hookimpl,
)
from tpuherd.hooks import Hooks

SEEN = Observation(stage="run_workload", error="it failed")
LOST = Diagnosis(failure=FailureClass.UNKNOWN, evidence=("it went away",))


def plugin(function, **options):
    module = types.ModuleType("made_up")
    setattr(module, function.__name__, hookimpl(**options)(function))
    return module


def helper():
    return {}["missing"]


def prepare_env(job, allocation):
    raise PrepareError("no space left")


def test_a_bug_in_a_plugin_becomes_a_plugin_error_with_its_part_of_the_traceback(
    tpuherd_plugins, job_factory
):
    def recover(job, diagnosis, history):
        return helper()

    tpuherd_plugins.register(plugin(recover), name="shaky")
    job = job_factory({"recovery": {"policy": "shaky"}})

    with pytest.raises(PluginError) as caught:
        Hooks(tpuherd_plugins, job.spec).recover(job=job, diagnosis=LOST, history=[])

    first, *traceback = str(caught.value).splitlines()
    assert first == "plugin 'shaky' failed in hook 'recover': KeyError: 'missing'"
    assert "in recover" in traceback[0]
    assert any("in helper" in line for line in traceback)
    assert "pluggy" not in str(caught.value)
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_bug_in_a_wrapper_names_the_wrapper(tpuherd_plugins, job_factory):
    def recover(job, diagnosis, history):
        yield
        raise RuntimeError("the auditor is ill")

    tpuherd_plugins.register(plugin(recover, wrapper=True), name="auditor")
    job = job_factory()

    with pytest.raises(
        PluginError, match="plugin 'auditor' failed in hook 'recover': RuntimeError: the auditor"
    ):
        Hooks(tpuherd_plugins, job.spec).recover(job=job, diagnosis=LOST, history=[])


def test_an_error_for_the_user_stays_itself_and_notes_the_plugin(tpuherd_plugins, job_factory):
    tpuherd_plugins.register(plugin(prepare_env), name="poor")
    job = job_factory({"job": {"env_type": "poor"}})

    with pytest.raises(PrepareError, match="no space left") as caught:
        Hooks(tpuherd_plugins, job.spec).prepare_env(job=job, allocation=job_factory.allocation(job))

    assert caught.value.__notes__ == ["raised by plugin 'poor' in hook 'prepare_env'"]


def test_the_innermost_plugin_is_blamed_through_a_wrapper(tpuherd_plugins, job_factory):
    def wrap(job, allocation):
        return (yield)

    wrap.__name__ = "prepare_env"
    tpuherd_plugins.register(plugin(prepare_env), name="poor")
    tpuherd_plugins.register(plugin(wrap, wrapper=True), name="auditor")
    job = job_factory({"job": {"env_type": "poor"}})

    with pytest.raises(PrepareError) as caught:
        Hooks(tpuherd_plugins, job.spec).prepare_env(job=job, allocation=job_factory.allocation(job))

    assert caught.value.__notes__ == ["raised by plugin 'poor' in hook 'prepare_env'"]


def test_an_interrupt_is_nobodys_bug(tpuherd_plugins, job_factory):
    def recover(job, diagnosis, history):
        raise KeyboardInterrupt

    tpuherd_plugins.register(plugin(recover), name="slow")
    job = job_factory({"recovery": {"policy": "slow"}})

    with pytest.raises(KeyboardInterrupt):
        Hooks(tpuherd_plugins, job.spec).recover(job=job, diagnosis=LOST, history=[])


def test_a_detector_that_fails_is_logged_and_the_others_are_heard(tpuherd_plugins, job_factory, caplog):
    def broken(job, observation):
        raise ZeroDivisionError("in my head")

    def sure(job, observation):
        return Diagnosis(failure=FailureClass.HUNG, evidence=("quiet for an hour",), confidence=0.9)

    def unsure(job, observation):
        return Diagnosis(failure=FailureClass.NETWORK, evidence=("a feeling",), confidence=0.1)

    for function in (broken, unsure, sure):
        name = function.__name__
        function.__name__ = "detect_failure"
        tpuherd_plugins.register(plugin(function), name=name)
    job = job_factory()

    opinions = Hooks(tpuherd_plugins, job.spec).detect_failure(job=job, observation=SEEN)

    assert [opinion.failure for opinion in opinions] == [FailureClass.HUNG, FailureClass.NETWORK]
    (record,) = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert record.getMessage() == "plugin 'broken' failed in detect_failure"
    assert record.exc_info[0] is ZeroDivisionError


def test_a_listener_that_fails_is_logged_and_the_others_are_told(
    tpuherd_plugins, job_factory, tmp_path, caplog
):
    heard = []

    def deaf(event):
        raise OSError("no network")

    def listening(event):
        heard.append(event.text)

    for function in (listening, deaf):
        name = function.__name__
        function.__name__ = "on_event"
        tpuherd_plugins.register(plugin(function), name=name)

    event = Event(job_id="j", attempt=1, kind="k", text="hello", at=0.0)
    Hooks(tpuherd_plugins, job_factory.spec()).on_event(event, tmp_path)

    assert heard == ["hello"]
    assert "plugin 'deaf' failed in on_event" in caplog.text
