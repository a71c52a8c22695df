from __future__ import annotations

import socket
import threading

import pytest
from emulated import eventually
from google.cloud import tpu_v2

from tpuherd_emulator.control.client import Control


@pytest.fixture(scope="module")
def control(cloud):
    with Control(cloud.info) as made:
        yield made


@pytest.fixture
def node(cloud):
    made = cloud.node("w", "v5litepod-16")
    yield made
    cloud.delete(made)


def addresses(node):
    return [endpoint.ip_address for endpoint in node.network_endpoints]


def greets(cloud, address):
    """True if an SSH server says hello."""
    try:
        with socket.create_connection((address, cloud.info.ssh_port), timeout=1) as connection:
            connection.settimeout(1)
            return connection.recv(4) == b"SSH-"
    except OSError:
        return False


def metadata(cloud, address, path, flags=""):
    ask = f"curl -sH Metadata-Flavor:Google {flags} $GCE_METADATA_IP'/computeMetadata/v1/{path}'"
    return cloud.ssh(address, ask, timeout=60).stdout.decode()


COUNT = "for i in $(seq 1000); do echo $i > $HOME/count; sleep 0.05; done"


def counting(cloud, node_id, index, address):
    """Start something on a worker, and return how far it is."""
    cloud.ssh(address, f"setsid sh -c '{COUNT}' </dev/null >/dev/null 2>&1 &")
    (home,) = cloud.directory.glob(f"workers/{node_id}-w{index}/home")
    eventually((home / "count").exists)

    def count():
        text = (home / "count").read_text().strip()
        return int(text or 0)

    return count


@pytest.mark.slow
def test_an_unreachable_worker_works_on(cloud, control, node):
    first, second = addresses(node)[:2]
    count = counting(cloud, "w", 1, second)
    control.fault("unreachable-worker", node="w", worker=1)
    eventually(lambda: not greets(cloud, second))
    assert greets(cloud, first)
    before = count()
    eventually(lambda: count() > before)
    assert cloud.client().get_node(name=node.name).state == tpu_v2.Node.State.READY
    control.heal("w")
    eventually(lambda: greets(cloud, second))


@pytest.mark.slow
def test_a_frozen_worker_does_nothing_until_it_is_healed(cloud, control, node):
    address = addresses(node)[2]
    count = counting(cloud, "w", 2, address)
    control.fault("frozen-worker", node="w", worker=2)
    eventually(lambda: not greets(cloud, address))
    frozen_at = count()
    assert not greets(cloud, address)  # takes its time: a process that runs would have counted on
    assert count() == frozen_at
    control.heal("w")
    eventually(lambda: count() > frozen_at)
    assert cloud.ssh(address, "true").returncode == 0


def test_a_worker_without_power_boots_again_with_its_disk(cloud, control, node):
    address = addresses(node)[3]
    cloud.ssh(address, "echo kept > file")
    control.fault("power-off", node="w", worker=3)
    eventually(lambda: not greets(cloud, address))
    assert cloud.client().get_node(name=node.name).state == tpu_v2.Node.State.READY
    control.heal("w")
    eventually(lambda: greets(cloud, address))
    assert cloud.ssh(address, "cat file").stdout == b"kept\n"


@pytest.mark.slow
def test_a_stale_process_holds_the_lock_file(cloud, control, node):
    address = addresses(node)[0]
    lock = "${TMPDIR:-/tmp}/libtpu_lockfile"
    code = "import fcntl, sys; fcntl.flock(open(sys.argv[1]), fcntl.LOCK_EX | fcntl.LOCK_NB)"
    take = f"python3 -c '{code}' {lock}"
    control.fault("dirty-device", node="w", worker=0)
    eventually(lambda: cloud.ssh(address, f"test -s {lock}").returncode == 0)
    assert b"BlockingIOError" in cloud.ssh(address, take).stderr
    assert cloud.ssh(address, f"kill $(cat {lock})").returncode == 0
    eventually(lambda: cloud.ssh(address, take).returncode == 0)


def test_a_ready_node_of_which_a_worker_never_answers(cloud, control):
    control.fault("unreachable-worker", node="half", worker=1, count=1)
    node = cloud.node("half", "v5litepod-16")
    assert node.state == tpu_v2.Node.State.READY
    eventually(lambda: not greets(cloud, addresses(node)[1]))
    assert greets(cloud, addresses(node)[0])
    cloud.delete(node)


def test_workers_of_a_node_that_is_still_creating_serve(cloud, control):
    control.fault("stuck", method="CreateNode", node="early", count=1)
    wanted = tpu_v2.Node(accelerator_type="v5litepod-4", runtime_version="v2-alpha-tpuv5-lite")
    operation = cloud.client().create_node(parent=cloud.parent, node_id="early", node=wanted)
    name = f"{cloud.parent}/nodes/early"
    address = addresses(cloud.client().get_node(name=name))[0]
    eventually(lambda: greets(cloud, address))
    assert cloud.client().get_node(name=name).state == tpu_v2.Node.State.CREATING
    assert not operation.done()
    cloud.client().delete_node(name=name)


@pytest.mark.slow
def test_a_preemption_with_notice_is_seen_on_the_worker_before_its_end(cloud, control, node):
    address = addresses(node)[0]
    head, _, value = metadata(cloud, address, "instance/preempted", "-i").partition("\r\n\r\n")
    assert value == "FALSE"
    (etag,) = [line.split()[1] for line in head.splitlines() if line.startswith("ETag:")]
    path = f"instance/preempted?wait_for_change=true&last_etag={etag}"
    seen = []
    waiting = threading.Thread(target=lambda: seen.append(metadata(cloud, address, path)))
    waiting.start()
    control.preempt("w", notice_s=3)
    waiting.join(30)
    assert seen == ["TRUE"]
    name = node.name
    eventually(lambda: cloud.client().get_node(name=name).state == tpu_v2.Node.State.PREEMPTED)
    assert not any(greets(cloud, one) for one in addresses(node))


def test_without_notice_the_workers_are_just_gone(cloud, control, node):
    control.preempt("w", notice_s=0)
    eventually(lambda: cloud.client().get_node(name=node.name).state == tpu_v2.Node.State.PREEMPTED)
    assert not any(greets(cloud, one) for one in addresses(node))


def test_maintenance_is_in_the_metadata(cloud, control, node):
    address = addresses(node)[0]
    assert "no notifications have been received" in metadata(cloud, address, "instance/upcoming-maintenance")
    control.fault("maintenance", node="w", notice_s=3600, delay_s=60)
    text = metadata(cloud, address, "instance/upcoming-maintenance")
    assert '"maintenanceStatus": "PENDING"' in text
    assert '"type": "UNSCHEDULED"' in text


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["none+sshd", "none+builtin"])
def test_other_workers_can_be_unreachable_too(make_cloud, backend):
    cloud = make_cloud(backend=backend)
    address = addresses(cloud.node("other"))[0]
    count = counting(cloud, "other", 0, address)
    with Control(cloud.info) as control:
        control.fault("unreachable-worker", node="other")
        eventually(lambda: not greets(cloud, address))
        before = count()
        eventually(lambda: count() > before)
        control.heal("other")
        eventually(lambda: greets(cloud, address))


def test_maintenance_of_one_worker_leaves_the_others_alone(cloud, control, node):
    first, second = addresses(node)[:2]
    control.fault("maintenance", node="w", worker=1, delay_s=2)
    eventually(lambda: not greets(cloud, second))
    assert greets(cloud, first)
    eventually(lambda: greets(cloud, second))


def test_a_reimaged_node_has_empty_disks(cloud, control, node):
    address = addresses(node)[0]
    cloud.ssh(address, "echo lost > file")
    control.fault("reimaging", node="w")
    eventually(lambda: cloud.client().get_node(name=node.name).state == tpu_v2.Node.State.READY)
    eventually(lambda: cloud.ssh(address, "test ! -e file").returncode == 0)
