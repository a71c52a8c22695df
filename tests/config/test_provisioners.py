from __future__ import annotations

import pytest

from tpuherd.errors import ConfigError
from tpuherd.providers import chosen_plugin


def spec(folder, *overrides):
    return folder.minimal("tpu.allocation_mode=auto", *(f"tpu.{override}" for override in overrides)).spec


@pytest.mark.parametrize(
    ("overrides", "reason"),
    [
        (["slices=2"], "2 slices come together or not at all"),
        (["reserved=true"], "reserved capacity is asked for"),
        (["reservation=mine"], "reserved capacity is asked for"),
        (["valid_until=6h"], "tpu.valid_until is there"),
        (["wait_for_capacity=true"], "tpu.wait_for_capacity is there"),
        (["accelerator=v5p-8", "zone=us-east5-a"], "v5p-8 is sold through the queue"),
        (["accelerator=v6e-8", "zone=us-east5-a"], "v6e-8 is sold through the queue"),
        (["accelerators=[v5e-8, v6e-8]", "zone=us-east5-a"], "v6e-8 is sold through the queue"),
    ],
)
def test_auto_takes_the_queue_for_what_only_the_queue_has(folder, overrides, reason):
    tpu = spec(folder, *overrides).tpu
    assert (tpu.provider, tpu.choice.reason) == ("queued-resources", reason)


@pytest.mark.parametrize("overrides", [[], ["pricing=spot"], ["zones=[us-central2-b, us-central1-a]"]])
def test_auto_creates_anything_else_directly(folder, overrides):
    found = spec(folder, *overrides)
    assert found.tpu.provider == "tpu-vm"
    assert found.tpu.choice.reason.startswith("one slice")


@pytest.mark.parametrize("hook", ["provision", "observe", "release"])
def test_the_hooks_of_the_chosen_plugin_are_asked(folder, hook):
    assert chosen_plugin(spec(folder), hook) == "tpu_vm"
    assert chosen_plugin(spec(folder, "slices=2"), hook) == "queued_resources"


def test_what_the_file_names_is_taken(folder):
    tpu = folder.minimal("tpu.allocation_mode=my-own", "tpu.slices=2").spec.tpu
    assert (tpu.provider, tpu.choice.reason) == ("my-own", "")


def test_a_plugin_that_is_not_there_is_named(job_factory):
    tpu = {"accelerator": "v5litepod-8", "zone": "us-west4-a", "allocation_mode": "queued-resource"}
    with pytest.raises(
        ConfigError, match=r"tpu\.allocation_mode: no plugin 'queued_resource' provides .*did"
    ):
        job_factory.spec({"tpu": tpu, "command": {"cmd": "true"}})
