"""Every example on the page of hooks is loaded as a plugin and asked, those on workers in a real job."""

from __future__ import annotations

import json
import socket
import types
from dataclasses import replace
from pathlib import Path

import pytest
from hook_page import hook_parts

from tpuherd import (
    ConfigError,
    Diagnosis,
    Event,
    ExitKind,
    FailureClass,
    GiveUp,
    Observation,
    Presence,
    ProvisionError,
    ReplaceSlice,
    Where,
    WorkerExit,
    WorkloadExit,
)
from tpuherd.hooks import GlobalHooks, Hooks
from tpuherd.model.failure import AttemptRecord

ON_WORKERS = ("equip_workers", "prepare_env", "sync_code", "run_workload", "collect", "leave_workers")
"""Hooks whose examples need workers."""


@pytest.fixture
def example(tpuherd_plugins):
    """Load the example of a hook as a plugin, and return its function."""

    def load(name):
        module = types.ModuleType(f"example_{name}")
        exec(compile(hook_parts()[name].example, f"hooks.md:{name}", "exec"), vars(module))
        tpuherd_plugins.register(module, name=module.__name__)
        tpuherd_plugins.check_pending()
        (impl,) = [i for i in getattr(tpuherd_plugins.hook, name).get_hookimpls() if i.plugin is module]
        return impl.function

    return load


def test_no_example_is_left_out():
    tested = {name.removeprefix("test_example_") for name in globals() if name.startswith("test_example_")}
    assert tested | set(ON_WORKERS) == set(hook_parts())


def test_example_config_section(example, job_factory):
    model = example("config_section")().model
    assert model().channel == "#tpu"
    with pytest.raises(ConfigError, match="did you mean 'channel'"):
        job_factory({"pager": {"chanel": "#lab"}})


def test_example_register_tasks(example, tpuherd_plugins, capsys):
    from tpuherd.tasks.collection import TaskCollection

    example("register_tasks")
    namespace = TaskCollection()
    GlobalHooks(tpuherd_plugins).register_tasks(namespace)

    namespace["prices.cheapest"].body(None, zone="us-east1-d")
    assert "us-east1-d" in capsys.readouterr().out


def test_example_plan(example, job_factory):
    plan = example("plan")
    (step,) = plan(job_factory().spec, Path())
    assert (step.stage, step.where) == ("provision", "this machine")
    with pytest.raises(ConfigError, match=r"tpu\.accelerator"):
        plan(job_factory({"tpu": {"accelerator": "v5litepod-256", "zone": "us-west4-a"}}).spec, Path())


def test_example_prompt_forms(example, tpuherd_plugins):
    (form,) = example("prompt_forms")()
    assert form.name == "capitals"
    assert ("example_prompt_forms", form) in GlobalHooks(tpuherd_plugins).prompt_forms()


def test_example_connect_cloud(example, job_factory):
    assert example("connect_cloud")(job_factory().spec, "job-1").name == "lab"


def test_example_visit_cloud(example):
    assert example("visit_cloud")(None).project == "lab"


def test_example_find_finished(example, job_factory, tmp_path):
    job, find = job_factory({"command": {"cmd": "make"}}), example("find_finished")
    assert find(job.spec, tmp_path, job.cloud) is None
    (tmp_path / "results").mkdir()
    (tmp_path / "results/finished.json").write_text('{"command": "make"}')
    assert find(job.spec, tmp_path, job.cloud).address == str(tmp_path / "results")
    assert find(job_factory({"command": {"cmd": "other"}}).spec, tmp_path, job.cloud) is None


def test_example_leave_cloud(example, job_factory):
    assert example("leave_cloud")(job_factory().cloud, "job-1") is None


def test_example_provision(example, job_factory):
    provision = example("provision")
    job = job_factory()
    allocation = provision(job, job.attempt)
    assert [worker.index for worker in allocation.workers] == [0, 1, 2, 3]
    assert provision(job, replace(job.attempt, zone="us-east1-d")).zone == "us-east1-d"
    big = job_factory({"tpu": {"accelerator": "v5litepod-32", "zone": "us-west4-a"}})
    with pytest.raises(ProvisionError, match="needs 8"):
        provision(big, big.attempt)


def test_example_observe(example, job_factory, monkeypatch):
    job = job_factory()
    asked = []

    def refused(address, timeout):
        asked.append(address)
        raise ConnectionRefusedError("nobody there")

    monkeypatch.setattr(socket, "create_connection", refused)
    (seen,) = example("observe")(job, job_factory.allocation(job))
    assert asked == [("10.0.0.2", 22)]
    assert (seen.presence, seen.detail) == (Presence.UNKNOWN, "nobody there")


def test_example_detectors(example):
    (row,) = example("detectors")()
    assert (row.where, row.failure) == (Where.LOG, FailureClass.NETWORK)
    assert row.expression.search("E feed server f3 is gone")
    assert not row.expression.search("feed server f3 is there")


def test_example_detect_failure(example, job_factory):
    detect_failure = example("detect_failure")
    end = WorkerExit(
        worker=2, kind=ExitKind.EXITED, code=1, ended_at=1.0, log_tail="RESOURCE_EXHAUSTED: out of memory"
    )
    seen = Observation(stage="run_workload", error="it failed", exit=WorkloadExit(workers=(end,)))

    diagnosis = detect_failure(job_factory(), seen)

    assert (diagnosis.failure, diagnosis.blamed_worker) == (FailureClass.DEVICE_OUT_OF_MEMORY, 2)
    other = replace(seen, exit=WorkloadExit(workers=(replace(end, log_tail="Segmentation fault"),)))
    assert detect_failure(job_factory(), other) is None
    assert detect_failure(job_factory(), replace(seen, exit=None)) is None


def test_example_recover(example, job_factory):
    recover = example("recover")
    preempted = Diagnosis(failure=FailureClass.PREEMPTED, evidence=("the API says so",))
    bug = Diagnosis(failure=FailureClass.USER_ERROR, evidence=("w0 exited with 1",))
    past = AttemptRecord(number=1, diagnosis=preempted, recovery="ReplaceSlice", started_at=0.0, ended_at=1.0)

    assert recover(job_factory(), preempted, [past]) == ReplaceSlice(reason="preempted", delay_s=60.0)
    assert isinstance(recover(job_factory(), preempted, [past] * 5), GiveUp)
    assert isinstance(recover(job_factory(), bug, []), GiveUp)


def test_example_release(example, job_factory):
    release = example("release")
    job = job_factory()
    assert release(job, job_factory.allocation(job)) is True
    assert release(job, None) is True


def test_example_on_event(example, tpuherd_plugins, job_factory, monkeypatch, tmp_path):
    log = tmp_path / "events.jsonl"
    monkeypatch.setenv("EVENT_LOG", str(log))
    example("on_event")

    event = Event(job_id="job-1", attempt=1, kind="job.ended", text="succeeded", at=1.5)
    Hooks(tpuherd_plugins, job_factory.spec()).on_event(event, tmp_path)

    assert json.loads(log.read_text())["text"] == "succeeded"


@pytest.mark.slow
def test_the_examples_on_workers_make_a_job(site, tpuherd_run, tmp_path, monkeypatch):
    # `workload.kind` names one plugin for two hooks, so these two examples make one module.
    texts = {name: hook_parts()[name].example for name in ON_WORKERS}
    texts["run_workload"] += texts.pop("collect")
    modules = [site.module(name, text) for name, text in texts.items()]
    monkeypatch.setenv("TPUHERD_PLUGINS", ",".join(modules))
    (tmp_path / "train.sh").write_text(
        'echo "training as $RUN on worker $TPUHERD_WORKER"; cat ~/dataset/READY\n'
    )
    (tmp_path / "job.yaml").write_text(
        """
        job: {env_type: fake_prepare_env}
        cloud: emulator
        tpu: {accelerator: v5litepod-16, zone: us-west4-a}
        code: {sync: fake_sync_code}
        workload: {kind: fake_run_workload}
        """
    )

    done = tpuherd_run("run", tmp_path / "job.yaml", "--json")

    assert done.exit_code == 0, done.stderr
    outcome = json.loads(done.stdout)
    assert outcome["results"]["summary"] == "4 files"
    for worker in range(4):
        text = (tmp_path / outcome["results"]["directory"] / f"w{worker}.txt").read_text()
        assert f"training as {outcome['job']}.1 on worker {worker}\ncomplete\n" in text
