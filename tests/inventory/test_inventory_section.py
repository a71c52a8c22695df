"""The `inventory` section and the file of machines: what is accepted, what is refused, and in which words."""

from __future__ import annotations

import pytest

from tpuherd import ConfigError
from tpuherd.config.load import load_text
from tpuherd.config.schema import json_schema
from tpuherd.hooks import GlobalHooks, Hooks
from tpuherd.manager import make_plugin_manager
from tpuherd_inventory.hosts import read_hosts
from tpuherd_inventory.listed import machines_of

JOB = """
cloud: {cloud}
tpu: {{allocation_mode: inventory, accelerator: v4-8, zone: us-central2-b, slices: {slices}}}
command: {{cmd: "true"}}
inventory: {inventory}
"""

HOSTS = """
slices:
  - name: lab-a
    accelerator: v4-16
    zone: us-central2-b
    workers:
      - {address: 10.0.0.2, ssh: 34.1.2.3}
      - {address: 10.0.0.3}
  - name: lab-b
    accelerator: v4-8
    workers: [{address: lab-b.example.com}]
"""


def planned(tmp_path, inventory, *, cloud="emulator", slices=1):
    manager = make_plugin_manager()
    text = JOB.format(cloud=cloud, slices=slices, inventory=inventory)
    spec = load_text(text, tmp_path / "job.yaml", GlobalHooks(manager).config_sections()).spec
    return [f"{step.stage}: {step.where}: {step.action}" for step in Hooks(manager, spec).plan()]


@pytest.mark.parametrize(
    ("inventory", "says"),
    [
        ("{file: hosts.yaml}", "claim 1 free of hosts.yaml: v4-8"),
        ("{file: hosts.yaml, tpu: lab-a}", "claim lab-a of hosts.yaml"),
        ("{tpu: v4-a@us-central2-b}", "GetNode v4-a@us-central2-b: it has to be READY"),
        ("{alias: big}", "claim big in us-central2-b"),
        ("{match: v4+}", "claim 1 free in us-central2-b: v4+"),
        ("{match: [v4-8, ada-*]}", "claim 1 free in us-central2-b: v4-8, ada-*"),
    ],
)
def test_the_plan_says_what_is_claimed_and_what_is_asked(tmp_path, inventory, says):
    steps = planned(tmp_path, inventory)
    assert any(says in step for step in steps), steps
    assert any("UpdateNode" in step for step in steps) is ("file" not in inventory)
    assert any(step.endswith("end the claim; the machine stays") for step in steps)
    assert not any("Create" in step or "DeleteNode" in step for step in steps)


@pytest.mark.parametrize(
    ("inventory", "options", "says"),
    [
        ("{}", {}, r"inventory: which machines\? give one of file, tpu, alias, match"),
        ("{tpu: a, match: v4}", {}, "inventory: tpu and match both say which machine"),
        ("{tpu: 'a b'}", {}, r"job.yaml:5: inventory.tpu: 'a b' is no name of a TPU"),
        ("{match: v9}", {}, r"inventory.match: 'v9' is no TPU type"),
        ("{match: 4}", {}, r"inventory.match: expected a pattern such as v4\+"),
        ("{mach: v4}", {}, r"inventory.mach: unknown key; did you mean 'match'"),
        ("{tpu: a, ssh: {prot: 22}}", {}, r"inventory.ssh.prot: unknown key; did you mean 'port'"),
        ("{tpu: a, ssh: {port: 22}}", {}, r"inventory.ssh only counts with `cloud: inventory`"),
        ("{tpu: a}", {"cloud": "inventory"}, r"inventory.file is required with `cloud: inventory`"),
        ("{tpu: a}", {"slices": 2}, r"tpu.slices: one machine is named"),
        (
            "{file: hosts.yaml, ssh: {identity_file: keys/mine}}",
            {"cloud": "inventory"},
            r"inventory.ssh.identity_file: give a whole path",
        ),
    ],
)
def test_what_cannot_be_is_refused_by_the_plan(tmp_path, inventory, options, says):
    with pytest.raises(ConfigError, match=says):
        planned(tmp_path, inventory, **options)


def test_own_machines_have_no_cloud_for_other_provisioners(tmp_path):
    text = JOB.format(cloud="inventory", slices=1, inventory="{file: hosts.yaml}")
    text = text.replace("allocation_mode: inventory", "allocation_mode: tpu-vm")
    manager = make_plugin_manager()
    spec = load_text(text, tmp_path / "job.yaml", GlobalHooks(manager).config_sections()).spec
    with pytest.raises(ConfigError, match=r"set `tpu.allocation_mode: inventory`"):
        Hooks(manager, spec).plan()


def test_every_key_of_the_section_is_described():
    schema = json_schema(GlobalHooks(make_plugin_manager()).config_sections())
    for name in ("InventorySection", "SshSection"):
        found = [value for key, value in schema["$defs"].items() if key.endswith(name)]
        assert found
        assert all(key["description"] for section in found for key in section["properties"].values())


def test_a_file_of_machines(tmp_path):
    path = tmp_path / "hosts.yaml"
    path.write_text(HOSTS)
    first, second = machines_of(path, "us-east1-d")
    assert (str(first.known_as), first.zone) == ("lab-a@us-central2-b", "us-central2-b")
    assert (str(second.known_as), second.zone) == ("lab-b", "us-east1-d")
    assert first.claims == ("host 34.1.2.3", "host 10.0.0.3")
    piece = first.to_slice(1, 4)
    assert [worker.index for worker in piece.workers] == [4, 5]
    assert [worker.slice_worker for worker in piece.workers] == [0, 1]
    assert [worker.internal_address for worker in piece.workers] == ["10.0.0.2", "10.0.0.3"]
    assert [worker.ssh_address for worker in piece.workers] == ["34.1.2.3", "10.0.0.3"]
    assert {worker.slice_index for worker in piece.workers} == {1}


def test_other_addresses_are_another_incarnation(tmp_path):
    path = tmp_path / "hosts.yaml"
    path.write_text(HOSTS)
    before = [machine.incarnation for machine in machines_of(path, "z")]
    assert before == [machine.incarnation for machine in machines_of(path, "y")]
    path.write_text(HOSTS.replace("10.0.0.2", "10.0.0.9"))
    after = [machine.incarnation for machine in machines_of(path, "z")]
    assert before[0] != after[0]
    assert before[1] == after[1]


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("zone:", "zoen:", r"hosts.yaml:5: slices\[0\].zoen: unknown key; did you mean 'zone'"),
        ("ssh:", "shs:", r"slices\[0\].workers\[0\].shs: unknown key; did you mean 'ssh'"),
        ("v4-16", "v4-17", r"hosts.yaml:4: slices\[0\].accelerator: accelerator 'v4-17' does not exist"),
        ("v4-16", "v4-32", r"slices\[0\]: a v4-32 has 4 workers, the list has 2"),
        ("lab-b\n", "lab-a\n", "lab-a is in the list twice"),
        ("address: 10.0.0.3", "address: 34.1.2.3", r"34.1.2.3 is in the list twice"),
        (
            "10.0.0.3",
            "-oProxyCommand=x",
            r"slices\[0\].workers\[1\].address: '-oProxyCommand=x' is no address",
        ),
        ("lab-b\n", "lab b\n", r"slices\[1\].name: 'lab b' is no name"),
        ("name: lab-a", "{}", "not valid YAML"),
        ("slices:", "machines:", r"hosts.yaml: slices: is required"),
    ],
)
def test_a_wrong_file_is_refused_with_line_and_key(tmp_path, before, after, says):
    path = tmp_path / "hosts.yaml"
    assert before in HOSTS
    path.write_text(HOSTS.replace(before, after, 1))
    with pytest.raises(ConfigError, match=says):
        read_hosts(path)


def test_a_file_that_is_not_there(tmp_path):
    (tmp_path / "hosts.yml").write_text(HOSTS)
    with pytest.raises(ConfigError, match=r"no such file; did you mean 'hosts.yml'"):
        read_hosts(tmp_path / "hosts.yaml")
