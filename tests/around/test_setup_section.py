"""The section `setup`, and what `plan` says about it."""

from __future__ import annotations

import pytest

from tpuherd.errors import ConfigError
from tpuherd.hooks import Hooks
from tpuherd.manager import make_plugin_manager


def with_scripts(job_factory, *scripts):
    return job_factory.spec({"setup": {"scripts": list(scripts)}, "command": {"cmd": "true"}})


def test_the_plan_says_what_runs_where(job_factory):
    spec = with_scripts(
        job_factory, {"run": "modprobe x", "workers": [0, 2], "once": "vm", "name": "modules"}
    )
    (step,) = [s for s in Hooks(make_plugin_manager(), spec).plan() if s.stage == "equip_workers"]
    assert (step.where, step.action) == ("workers 0, 2", "modules, once in a VM's life: modprobe x")


def test_wrong_sections_are_refused(job_factory):
    spec = with_scripts(job_factory, {"run": "true", "workers": 4})
    with pytest.raises(
        ConfigError, match=r"setup.scripts\[0\].workers: there is no worker 4; the slices have 0 to 3"
    ):
        Hooks(make_plugin_manager(), spec).plan()
    for wrong in ({"run": " "}, {"run": "true", "once": "week"}, {"run": "true", "workers": []}, {}):
        with pytest.raises(ConfigError, match=r"setup\.scripts"):
            with_scripts(job_factory, wrong)


def test_jobs_without_the_section_do_not_ask_for_it(job_factory):
    hooks = Hooks(make_plugin_manager(), job_factory.spec({"command": {"cmd": "true"}}))
    assert hooks.equippers() == []
    assert Hooks(make_plugin_manager(), with_scripts(job_factory, {"run": "true"})).equippers() == ["setup"]
