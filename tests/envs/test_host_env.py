"""The bare host as environment."""

from __future__ import annotations

from dataclasses import replace

import tpuherd_host as plugin


def test_it_is_another_one_on_other_vms(job_factory):
    job = job_factory("command: {cmd: 'true'}")
    allocation = job_factory.allocation(job)
    (piece,) = allocation.slices
    reborn = replace(allocation, slices=(replace(piece, incarnation="another"),))
    made = plugin.prepare_env(job, allocation)
    assert (made.kind, made.command_prefix, made.path_entries, made.variables) == ("host", (), (), {})
    assert made == plugin.prepare_env(job, allocation)
    assert made.key != plugin.prepare_env(job, reborn).key
