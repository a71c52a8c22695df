"""Buckets mounted on real workers, by a FUSE server that stands for gcsfuse; see `fuse_bucket`."""

from __future__ import annotations

import pytest
from buckets import LISTED, PATH, bucket, kill_server, program, with_bucket
from mounts import mountable, on

import tpuherd_gcsfuse
from tpuherd.errors import PrepareError

pytestmark = pytest.mark.slow
__all__ = ["bucket", "mountable", "program", "with_bucket"]


def test_all_workers_see_the_bucket_and_what_one_writes(with_bucket, held, bucket):
    job = with_bucket()
    tpuherd_gcsfuse.equip_workers(job, held)
    assert on(job, held, f"cat {PATH}/data/train.txt") == ["hello"] * 4
    on(job, held, f"mkdir {PATH}/out && echo from-two > {PATH}/out/result", workers=[2])
    assert bucket.read("out/result") == b"from-two\n"
    assert on(job, held, f"cat {PATH}/out/result; ls {PATH}") == ["from-two\ndata\nout"] * 4
    on(job, held, f"rm -r {PATH}/out", workers=[0])


def test_a_second_call_changes_nothing_and_says_nothing(with_bucket, held, capsys):
    job = with_bucket()
    tpuherd_gcsfuse.equip_workers(job, held)
    assert "gcsfuse version 0.0.0-of-the-tests on w0, w1, w2, w3" not in capsys.readouterr().err
    before = on(job, held, f"{LISTED}; stat -c %d {PATH}")
    tpuherd_gcsfuse.equip_workers(job, held)
    assert on(job, held, f"{LISTED}; stat -c %d {PATH}") == before
    assert "mounted" not in capsys.readouterr().err


def test_a_mount_that_died_is_mounted_again_and_no_other(with_bucket, held, cloud, capsys):
    job = with_bucket()
    tpuherd_gcsfuse.equip_workers(job, held)
    kill_server(cloud, held, 1)
    dead = f"ls {PATH} 2>&1 | grep 'Transport endpoint is not connected'"
    on(job, held, f"for i in $(seq 200); do {dead} && exit; sleep 0.1; done; exit 1", workers=[1])
    capsys.readouterr()
    tpuherd_gcsfuse.equip_workers(job, held)
    said = capsys.readouterr().err
    assert "bucket, gcsfuse version 0.0.0-of-the-tests on w1\n" in said
    assert " w0" not in said  # paths may have a w0 in them
    assert on(job, held, f"cat {PATH}/data/train.txt; {LISTED} | wc -l") == ["hello\n1"] * 4


def test_read_only(with_bucket, held):
    job = with_bucket(read_only=True)
    tpuherd_gcsfuse.equip_workers(job, held)
    line = f"cat {PATH}/data/train.txt; ! touch {PATH}/file 2>/dev/null"
    assert on(job, held, line) == ["hello"] * 4


def test_only_a_folder_and_a_second_mount(with_bucket, held):
    extra = {"bucket_name": "lab", "mount_path": "~/data", "only_dir": "data", "read_only": True}
    job = with_bucket(extra_mounts=[extra])
    tpuherd_gcsfuse.equip_workers(job, held)
    assert on(job, held, f"ls {PATH}; ls $HOME/data") == ["data\ntrain.txt"] * 4
    tpuherd_gcsfuse.equip_workers(with_bucket(), held)
    on(job, held, "! test -e $HOME/data")


def test_other_options_mount_it_anew(with_bucket, held):
    tpuherd_gcsfuse.equip_workers(with_bucket(), held)
    job = with_bucket(read_only=True)
    tpuherd_gcsfuse.equip_workers(job, held)
    assert all("fuse.gcsfuse ro," in line for line in on(job, held, LISTED))


def test_a_script_makes_room_for_the_cache_first(with_bucket, held):
    prefix = 'printf "a\\tb\\n" > ~/prefixed; mkdir -p ~/cache'
    job = with_bucket(cache={"dir": "/tmp/x", "file_cache_max_size_mb": 10, "prefix": prefix})
    tpuherd_gcsfuse.equip_workers(job, held)
    assert on(job, held, "cat ~/prefixed; rm ~/prefixed") == ["a\tb"] * 4
    tpuherd_gcsfuse.equip_workers(job, held)
    on(job, held, "! test -e ~/prefixed")


def test_leaving_unmounts_also_what_is_dead_and_in_use(with_bucket, held, cloud):
    job = with_bucket()
    tpuherd_gcsfuse.equip_workers(job, held)
    kill_server(cloud, held, 0)
    on(job, held, f"(cd {PATH} && setsid sleep 60 > /dev/null 2>&1 &) ", workers=[3])
    for _ in range(2):
        tpuherd_gcsfuse.leave_workers(job, held)
        on(job, held, f"! {LISTED} && ! test -e {PATH}")


def test_a_bucket_that_is_not_there(with_bucket, held):
    job = with_bucket(bucket_name="no-such-bucket")
    with pytest.raises(
        PrepareError, match=r"bucket cannot be mounted: .*bucket no-such-bucket does not exist"
    ):
        tpuherd_gcsfuse.equip_workers(job, held)
    on(job, held, f"! {LISTED}")


def test_an_option_that_gcsfuse_does_not_know(with_bucket, held):
    with pytest.raises(PrepareError, match=r"cannot be mounted: .*unrecognized arguments: --no-such-option"):
        tpuherd_gcsfuse.equip_workers(with_bucket(options=["--no-such-option"]), held)


def test_files_below_and_mounts_of_others(with_bucket, held):
    job = with_bucket(mount_path="~/others")
    on(job, held, "mkdir -p ~/others; touch ~/others/file", workers=[1])
    with pytest.raises(PrepareError, match=r"w1: there are files in /.*/others \(gcsfuse.mount_path\)"):
        tpuherd_gcsfuse.equip_workers(job, held)
    on(job, held, "rm ~/others/file; mount -t tmpfs mine ~/others", workers=[1])
    with pytest.raises(PrepareError, match=r"w1: .*/others is mounted already \(tmpfs\), not by tpuherd"):
        tpuherd_gcsfuse.equip_workers(job, held)
    on(job, held, "umount ~/others", workers=[1])


def test_where_it_is_missing(cloud, held):
    for section, text in (
        ({"program": "/opt/no-such"}, r"there is no /opt/no-such here \(gcsfuse.program\)"),
        ({"install": False}, r"there is no gcsfuse here, and gcsfuse.install is false"),
    ):
        job = cloud.job(gcsfuse={"bucket_name": "lab", "mount_path": "~/bucket", **section})
        with pytest.raises(PrepareError, match=text):
            tpuherd_gcsfuse.equip_workers(job, held)
