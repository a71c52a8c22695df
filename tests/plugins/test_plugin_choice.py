"""The job file names its plugins: each call goes to the one that it names."""

from __future__ import annotations

import json
import types

import pytest
from distributions import GOOD

from tpuherd import ConfigError, ExitCode, GiveUp, PluginError, hookimpl
from tpuherd.hooks import Hooks
from tpuherd.manager import make_plugin_manager
from tpuherd.model.failure import Diagnosis, FailureClass
from tpuherd.providers import NAMED_BY, REQUIRED
from tpuherd.testing import JobFactory

LOST = Diagnosis(failure=FailureClass.UNKNOWN, evidence=("it went away",))

WRONG_NAMES = {
    "cloud": "emulatr",
    "tpu.allocation_mode": "tpu-vmm",
    "job.env_type": "vnev",
    "code.sync": "worktre",
    "workload.kind": "comand",
    "recovery.policy": "giveup",
}
"""Key of the job file to a misspelt name of a built-in plugin."""


def register(manager, name, *functions):
    module = types.ModuleType(name)
    for function in functions:
        setattr(module, function.__name__, hookimpl(function))
    manager.register(module, name=name)


def recover_as(reason):
    def recover(job, diagnosis, history):
        return GiveUp(reason=reason)

    return recover


def test_every_choice_is_tried_here():
    assert set(WRONG_NAMES) == set(NAMED_BY.values())


@pytest.mark.parametrize(("key", "name"), WRONG_NAMES.items())
def test_an_unknown_name_is_answered_with_key_and_nearest(job_factory, key, name):
    section, _, field = key.partition(".")
    document = {section: {field: name}} if field else {section: name}
    if section == "tpu":
        document = {"tpu": {"accelerator": "v5litepod-8", "zone": "us-west4-a", field: name}}

    with pytest.raises(ConfigError) as caught:
        job_factory(document)

    assert f"job.yaml: {key}: no plugin '{name.replace('-', '_')}' provides" in str(caught.value)
    assert "did you mean" in str(caught.value)


def test_the_command_refuses_an_unknown_name_and_touches_nothing(tpuherd_run, tpuherd_home, tmp_path):
    job_file = tmp_path / "wrong.yaml"
    job_file.write_text(
        "tpu: {accelerator: v5litepod-8, zone: us-west4-a}\nworkload: {kind: comand}\ncommand: {cmd: id}\n"
    )

    done = tpuherd_run("run", job_file)

    assert done.exit_code == ExitCode.JOB_FILE_WRONG
    assert f"{job_file}: workload.kind: no plugin 'comand' provides 'run_workload'" in done.stderr
    assert "did you mean 'command'?" in done.stderr
    assert not tpuherd_home.exists()


def test_only_the_named_plugin_is_asked(tpuherd_plugins, tpuherd_recorder, job_factory):
    register(tpuherd_plugins, "mine", recover_as("mine"))
    register(tpuherd_plugins, "theirs", recover_as("theirs"))
    job = job_factory({"recovery": {"policy": "mine"}})

    decision = Hooks(tpuherd_plugins, job.spec).recover(job=job, diagnosis=LOST, history=[])

    assert decision == GiveUp(reason="mine")
    (call,) = tpuherd_recorder.of("recover")
    assert call.plugins == ("mine",)
    assert call.arguments["diagnosis"] is LOST


def test_wrappers_of_other_plugins_still_run(tpuherd_plugins, job_factory):
    module = types.ModuleType("auditor")

    def recover(job, diagnosis, history):
        decision = yield
        return GiveUp(reason=f"audited: {decision.reason}")

    module.recover = hookimpl(wrapper=True)(recover)
    tpuherd_plugins.register(module, name="auditor")
    job = job_factory({"recovery": {"policy": "give_up"}})

    decision = Hooks(tpuherd_plugins, job.spec).recover(job=job, diagnosis=LOST, history=[])

    assert decision.reason.startswith("audited: the policy gives up")


def test_a_name_with_a_dash_means_the_plugin_with_an_underscore(job_factory):
    assert job_factory({"recovery": {"policy": "give-up"}}).spec.recovery.policy == "give-up"


@pytest.mark.parametrize("hook", sorted(set(REQUIRED) - {"recover"}))
def test_no_answer_to_a_hook_that_needs_one_names_plugin_and_key(tpuherd_plugins, job_factory, hook):
    spec = getattr(tpuherd_plugins.hook, hook).spec
    arguments = ", ".join(spec.argnames)
    silent = {}
    exec(f"def {hook}({arguments}): return None", silent)
    register(tpuherd_plugins, "silent", silent[hook])
    job = job_factory()
    section, _, field = NAMED_BY[hook].partition(".")
    changed = getattr(job.spec, section).model_copy(update={field: "silent"}) if field else "silent"
    hooks = Hooks(tpuherd_plugins, job.spec.model_copy(update={section: changed}))

    known = {"job": job}  # wrappers of other plugins look at it
    values = {name: known.get(name) for name in spec.argnames if name != "spec"}
    with pytest.raises(PluginError) as caught:
        getattr(hooks, hook)(**values)

    assert str(caught.value).startswith(
        f"plugin 'silent', named by {NAMED_BY[hook]}, has no answer for hook '{hook}'; installed: "
    )


def test_an_installed_policy_can_be_named(site):
    site.install("acme-tpu", "1.2", good=GOOD)
    manager = make_plugin_manager()
    job = JobFactory(manager, site.folder)({"recovery": {"policy": "good"}})

    decision = Hooks(manager, job.spec).recover(job=job, diagnosis=LOST, history=[])

    assert decision == GiveUp(reason="good says so")


def test_two_plugins_cannot_claim_one_section(site, tpuherd_run):
    site.install(
        "acme-tpu",
        "1.2",
        greedy="""
            from tpuherd import ConfigSection, hookimpl
            from tpuherd.config.sections import Section

            class Mine(Section):
                "Mine."

            @hookimpl
            def config_section():
                return ConfigSection(name="command", model=Mine, description="Mine.")
        """,
    )

    done = tpuherd_run("config.schema")

    assert done.exit_code == ExitCode.PLUGIN_ERROR
    assert "fake_greedy.Mine" in done.stderr
    assert "both claim section 'command'" in done.stderr


def test_the_schema_has_the_sections_of_all_plugins(tpuherd_run):
    schema = json.loads(tpuherd_run("config.schema").stdout)
    assert {"command", "venv"} <= set(schema["properties"])
