"""The bare host as environment."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from importlib.resources import files

import pytest

import tpuherd_host as plugin
from tpuherd import PrepareError
from tpuherd.envs.sameness import versions_in

SITE = ".local/lib/python3.11/site-packages"


@pytest.fixture
def job(cloud):
    return cloud.job({"environment": {"preflight": False}}, job_id="host-0001")


def distribution(cloud, worker, name):
    folder = cloud.home(worker) / SITE / f"{name}.dist-info"
    folder.mkdir(parents=True)
    return folder


def test_it_is_used_as_it_is(job, held):
    made = plugin.prepare_env(job, held)
    assert (made.kind, made.command_prefix, made.path_entries, made.variables) == ("host", (), (), {})
    assert made.versions["python"].startswith("3.")
    assert made == plugin.prepare_env(job, held)


def test_it_is_another_one_on_other_vms(job, held):
    (piece,) = held.slices
    reborn = replace(held, slices=(replace(piece, incarnation="another"),))
    assert plugin.prepare_env(job, held).key != plugin.prepare_env(job, reborn).key


def test_workers_that_differ_are_named(job, cloud, held):
    made = [distribution(cloud, worker, "flax-0.12.0") for worker in held.workers[:3]]
    other = distribution(cloud, held.workers[3], "flax-0.11.1")
    try:
        with pytest.raises(PrepareError, match=r"versions of flax: w0/w1/w2 0\.12\.0, w3 0\.11\.1; pin"):
            plugin.prepare_env(job, held)
        other.rename(other.with_name("flax-0.12.0.dist-info"))
        assert plugin.prepare_env(job, held).versions["flax"] == "0.12.0"
    finally:
        for folder in (*made, other.with_name("flax-0.12.0.dist-info")):
            folder.rmdir()


def test_of_two_with_one_name_the_users_own_counts(tmp_path):
    python, home = tmp_path / "python", tmp_path / "home"
    (python / "bin").mkdir(parents=True)
    (python / "bin" / "python3").write_text("#!/bin/sh\necho Python 3.11.2\n")
    (python / "bin" / "python3").chmod(0o755)
    for folder, version in ((python / "lib/python3.11/site-packages", "0.11"), (home / SITE, "0.12")):
        (folder / f"flax-{version}.dist-info").mkdir(parents=True)
    script = f"checked=no\n{files('tpuherd_host').joinpath('look.sh').read_text()}"
    variables = {"HOME": str(home), "PATH": f"{python / 'bin'}:{os.environ['PATH']}"}
    told = subprocess.run(["bash", "-c", script], env=variables, capture_output=True, text=True, check=True)
    found = versions_in(told.stdout)
    assert (found["python"], found["flax"]) == ("3.11.2", "0.12")
