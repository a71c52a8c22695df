"""The bare host as environment."""

from __future__ import annotations

from dataclasses import replace

import pytest

import tpuherd_host as plugin
from tpuherd import PrepareError

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
