"""Who is asked to equip workers and to leave them, in which order, and what happens if that fails."""

from __future__ import annotations

import os
import signal
import types

import pytest

import tpuherd_ramfs
import tpuherd_setup
import tpuherd_ssh
import tpuherd_tpu_vm
from tpuherd import ConfigSection, PrepareError, hookimpl
from tpuherd.hooks import Hooks
from tpuherd.providers import with_section

SECTIONS = {
    "setup": {"scripts": [{"run": "true"}]},
    "ramfs": {"size_gib": 1},
    "gcsfuse": {"bucket_name": "lab", "mount_path": "/mnt/lab"},
    "ssh": {},
    "command": {"cmd": "true"},
}


def plugin(name, **functions):
    module = types.ModuleType(name)
    for hook, function in functions.items():
        setattr(module, hook, hookimpl(function))
    return module


def test_scripts_come_last_and_buckets_after_the_memory_that_may_cache_them(tpuherd_plugins, job_factory):
    spec = job_factory.spec(SECTIONS)
    called = with_section(tpuherd_plugins, spec, "equip_workers")
    assert sorted(called[:2]) == ["ramfs", "ssh"]
    assert called[2:] == ["gcsfuse", "setup"]
    assert with_section(tpuherd_plugins, spec, "leave_workers")[-1] == "gcsfuse", "which is called backwards"


def test_a_plugin_without_a_section_is_always_asked(tpuherd_plugins, job_factory):
    def equip_workers(job, allocation):
        asked.append(job.id)

    asked = []
    job = job_factory({"command": {"cmd": "true"}})
    hooks = Hooks(tpuherd_plugins, job.spec)
    assert hooks.equippers() == []
    tpuherd_plugins.register(plugin("always", equip_workers=equip_workers), "always")
    assert hooks.equippers() == ["always"]
    hooks.equip_workers(job=job, allocation=job_factory.allocation(job))
    assert asked == [job.id]


def test_a_plugin_with_a_section_is_asked_if_the_file_has_it(tpuherd_plugins, job_factory):
    def config_section():
        return ConfigSection(name="ramfs", model=object, description="")

    def equip_workers(job, allocation):
        raise AssertionError

    for name in ("ramfs", "ssh", "gcsfuse", "setup"):
        tpuherd_plugins.unregister(name=name)
    other = plugin("other", config_section=config_section, equip_workers=equip_workers)
    job = job_factory({"command": {"cmd": "true"}})
    tpuherd_plugins.register(other, "other")
    assert Hooks(tpuherd_plugins, job.spec).equippers() == []


def test_leaving_asks_everybody_and_tells_what_went_wrong(tpuherd_plugins, job_factory):
    def bad(job, allocation):
        raise PrepareError("it is stuck")

    def broken(job, allocation):
        raise ZeroDivisionError

    def good(job, allocation):
        left.append(job.id)

    left = []
    for name, function in (("first", good), ("bad", bad), ("broken", broken), ("last", good)):
        tpuherd_plugins.register(plugin(name, leave_workers=function), name)
    job = job_factory({"command": {"cmd": "true"}})
    problems = Hooks(tpuherd_plugins, job.spec).leave_workers(job=job, allocation=job_factory.allocation(job))
    assert left == [job.id] * 2
    assert sorted(type(problem).__name__ for problem in problems) == ["PluginError", "PrepareError"]


@pytest.fixture
def half_dead(cloud):
    """A job whose worker 1 of 4 has lost its power."""
    sections = {"setup": {"scripts": [{"run": "true"}]}, "ssh": {"known_hosts": ["a b c"]}}
    tpu = {"accelerator": "v5litepod-16"}
    job = cloud.job(sections, tpu=tpu, job_id="dead-0001", ramfs={"size_gib": 0.1})
    allocation = tpuherd_tpu_vm.provision(job, job.attempt)
    tpuherd_ssh.equip_workers(job, allocation)
    pid = int((cloud.home(allocation.workers[1]).parent / "pid").read_text().split()[0])
    os.kill(pid, signal.SIGKILL)
    yield job, allocation
    tpuherd_tpu_vm.release(job, allocation)


def test_a_dead_worker_is_named_and_does_not_keep_the_others_from_being_left(half_dead, cloud):
    job, allocation = half_dead
    with pytest.raises(PrepareError, match=r"setup: scripts\[0\]: 3 of 4 workers succeeded; w1 "):
        tpuherd_setup.equip_workers(job, allocation)
    tpuherd_ssh.leave_workers(job, allocation)
    tpuherd_ramfs.leave_workers(job, allocation)
    kept = [list(cloud.home(worker).glob(".ssh/tpuherd*")) for worker in allocation.workers]
    assert [bool(files) for files in kept] == [False, True, False, False]
