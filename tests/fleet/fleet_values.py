"""TPUs and knowledge as values."""

from __future__ import annotations

from tpuherd.cloud.labels import JOB, OWNER
from tpuherd.fleet.knowledge import Knowledge
from tpuherd.fleet.reading import Fleet
from tpuherd.fleet.tpu import Kind, Tpu

ADA = Knowledge(user="ada")


def tpu(name="a", zone="us-west4-a", accelerator="v5litepod-8", *, owner="ada", job="", **more) -> Tpu:
    """A node of ada that is READY, unless told otherwise."""
    labels = {OWNER: owner} if owner else {}
    labels |= {JOB: job} if job else {}
    usual = {"kind": Kind.NODE, "state": "READY", "health": "HEALTHY", "workers": 1}
    return Tpu(name=name, zone=zone, accelerator=accelerator, labels=labels, **usual | more)


def fleet_of(*tpus: Tpu, unreachable=()) -> Fleet:
    return Fleet(tpus=tpus, unreachable=unreachable, read_at=0.0)
