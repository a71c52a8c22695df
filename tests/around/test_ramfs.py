"""Folders in memory on real workers."""

from __future__ import annotations

import pytest
from mounts import mountable, on

import tpuherd_ramfs
from tpuherd.errors import ConfigError, PrepareError
from tpuherd.hooks import Hooks
from tpuherd.manager import make_plugin_manager
from tpuherd_ramfs.memory import GIB_PER_VM

SIZE_GIB = 0.0625
PATH = "$HOME/memory"
"""As a shell has it."""

__all__ = ["mountable"]


@pytest.fixture
def with_ramfs(cloud, held, mountable):
    """Jobs with the folder; nothing of it is left on the workers."""

    def make(**section):
        more = {key: section.pop(key) for key in ("job_id", "attempt") if key in section}
        asked = {"path": "~/memory", "size_gib": SIZE_GIB, **section}
        return cloud.job(tpu={"accelerator": "v5litepod-16"}, ramfs=asked, **more)

    yield make
    tpuherd_ramfs.leave_workers(make(), held)


def test_all_workers_have_it_in_its_size_for_their_user(with_ramfs, held):
    job = with_ramfs()
    tpuherd_ramfs.equip_workers(job, held)
    seen = on(
        job, held, f"df --output=fstype,size -k {PATH} | tail -n 1; touch {PATH}/file; stat -c %u {PATH}"
    )
    uid = on(job, held, "id -u")[0]
    assert [text.split() for text in seen] == [["tmpfs", str(64 << 10), uid]] * 4


def test_it_holds_no_more_than_its_size(with_ramfs, held):
    job = with_ramfs()
    tpuherd_ramfs.equip_workers(job, held)
    line = f"head -c 80M /dev/zero > {PATH}/file; stat -c %s {PATH}/file; rm {PATH}/file"
    (size,) = on(job, held, line, workers=[0])
    assert int(size) <= 64 << 20


def test_a_second_call_changes_nothing(with_ramfs, held):
    job = with_ramfs()
    tpuherd_ramfs.equip_workers(job, held)
    on(job, held, f"echo x > {PATH}/kept")
    tpuherd_ramfs.equip_workers(job, held)
    assert on(job, held, f'cat {PATH}/kept; grep -c " {PATH} " /proc/self/mounts') == ["x\n1"] * 4


@pytest.mark.parametrize(("between", "left"), [("keep", "file\n.hidden"), ("wipe", "")])
def test_what_the_next_attempt_finds(with_ramfs, held, between, left):
    for attempt in (1, 2):
        job = with_ramfs(between_attempts=between, attempt=attempt)
        tpuherd_ramfs.equip_workers(job, held)
        if attempt == 1:
            on(
                job,
                held,
                f"mkdir {PATH}/folder; touch {PATH}/folder/x {PATH}/.hidden; mv {PATH}/folder {PATH}/file",
            )
    assert sorted(on(job, held, f"ls -A {PATH}")[0].split()) == sorted(left.split())


def test_another_job_never_finds_what_one_has_left(with_ramfs, held):
    tpuherd_ramfs.equip_workers(with_ramfs(), held)
    on(with_ramfs(), held, f"touch {PATH}/theirs")
    job = with_ramfs(job_id="other-0001")
    tpuherd_ramfs.equip_workers(job, held)
    assert on(job, held, f"ls -A {PATH}") == [""] * 4


def test_another_size_keeps_what_is_in_it(with_ramfs, held):
    tpuherd_ramfs.equip_workers(with_ramfs(), held)
    on(with_ramfs(), held, f"touch {PATH}/kept")
    job = with_ramfs(size_gib=0.125)
    tpuherd_ramfs.equip_workers(job, held)
    seen = on(job, held, f"df --output=size -k {PATH} | tail -n 1; ls {PATH}")
    assert [text.split() for text in seen] == [[str(128 << 10), "kept"]] * 4


def test_without_a_size_it_has_no_bound(with_ramfs, held):
    job = with_ramfs(size_gib=None)
    tpuherd_ramfs.equip_workers(job, held)
    assert on(job, held, f"stat -f -c %T {PATH}; touch {PATH}/x") == ["ramfs"] * 4


def test_another_path_leaves_the_first(with_ramfs, held):
    tpuherd_ramfs.equip_workers(with_ramfs(), held)
    job = with_ramfs(path="~/memory-2")
    tpuherd_ramfs.equip_workers(job, held)
    assert on(job, held, f'grep -c " {PATH}" /proc/self/mounts; ! test -e {PATH}') == ["1"] * 4


def test_leaving_unmounts_it_also_twice(with_ramfs, held):
    job = with_ramfs()
    tpuherd_ramfs.equip_workers(job, held)
    for _ in range(2):
        tpuherd_ramfs.leave_workers(job, held)
        on(job, held, f'! grep " {PATH} " /proc/self/mounts && ! test -e {PATH}')


def test_files_are_not_hidden_and_mounts_of_others_are_left_alone(with_ramfs, held):
    job = with_ramfs(path="~/others")
    on(job, held, "mkdir -p ~/others && touch ~/others/file", workers=[1])
    with pytest.raises(PrepareError, match=r"w1: there are files in /.*/others"):
        tpuherd_ramfs.equip_workers(job, held)
    tpuherd_ramfs.leave_workers(job, held)
    on(job, held, "rm -rf ~/others; mkdir ~/others", workers=[1])
    on(job, held, "mount -t tmpfs mine ~/others", workers=[1])
    try:
        with pytest.raises(PrepareError, match=r"w1: .*is mounted already \(tmpfs\), not by tpuherd"):
            tpuherd_ramfs.equip_workers(job, held)
    finally:
        on(job, held, "umount ~/others", workers=[1])


def test_a_worker_with_less_memory_refuses(with_ramfs, held, cloud):
    job = cloud.job(
        tpu={"accelerator": "v2-8", "zone": "us-central1-b"}, ramfs={"path": "~/memory", "size_gib": 1e6}
    )
    Hooks(make_plugin_manager(), job.spec).plan()  # nobody says how much memory a v2 has
    with pytest.raises(
        PrepareError, match=r"ramfs.size_gib: 1000000 GiB do not fit: this machine has \d+ GiB"
    ):
        tpuherd_ramfs.equip_workers(job, held)


def test_the_plan_refuses_more_than_the_machines_have(cloud):
    hooks = Hooks(make_plugin_manager(), cloud.job(ramfs={"size_gib": 385}).spec)
    with pytest.raises(
        ConfigError, match=r"ramfs\.size_gib: 385 GiB do not fit: a VM of v5litepod-8 has 384 GiB"
    ):
        hooks.plan()
    spec = cloud.job(ramfs={"size_gib": 384, "between_attempts": "wipe"}).spec
    (step,) = [s for s in Hooks(make_plugin_manager(), spec).plan() if s.stage == "equip_workers"]
    assert step.action == "mount a folder in memory of 384 GiB at /mnt/ramfs; wiped between attempts"


@pytest.mark.parametrize(
    "path", ["/", "mnt/x", "/mnt/../etc", "/mnt/a b", "/mnt/x/", "~", "~x/y", "/mnt/$x/y"]
)
def test_paths_that_are_no_folder_of_their_own(cloud, path):
    with pytest.raises(ConfigError, match=r"ramfs\.path"):
        cloud.job(ramfs={"path": path})


def test_the_table_knows_machines_that_exist():
    from tpuherd.accelerators import names, resolve

    known = {(shape.generation, shape.chips_per_worker) for shape in map(resolve, names())}
    assert set(GIB_PER_VM) <= known
