"""Jobs with a bucket, mounted by a FUSE server that stands for gcsfuse; see `fuse_bucket`."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest
from fuse_objects import Objects

import tpuherd_gcsfuse
from tpuherd.cloud.buckets import client

PATH = "$HOME/bucket"
"""As a shell has it."""
LISTED = f'grep " {PATH} " /proc/self/mounts'


@pytest.fixture(scope="module")
def program(cloud):
    """The stand-in under the name of gcsfuse."""
    try:
        os.close(os.open("/dev/fuse", os.O_RDWR))
    except OSError as error:
        pytest.skip(f"/dev/fuse cannot be used here: {error.strerror}")
    path = cloud.folder / "gcsfuse"
    path.write_text(f'#!/bin/sh\nexec {sys.executable} {Path(__file__).parent / "fuse_bucket.py"} "$@"\n')
    path.chmod(0o755)
    return str(path)


@pytest.fixture(scope="module")
def bucket(cloud):
    """A bucket with a file in a folder."""
    job = cloud.job(job_id="bucket-0001")
    client(job).create_bucket("lab")
    objects = Objects(job.cloud.worker_variables["STORAGE_EMULATOR_HOST"], "lab", "")
    objects.write("data/train.txt", b"hello\n")
    return objects


@pytest.fixture
def with_bucket(cloud, held, mountable, program, bucket):
    """Jobs with the bucket; nothing stays mounted."""

    def make(**section):
        asked = {"bucket_name": "lab", "mount_path": "~/bucket", "program": program, **section}
        return cloud.job(tpu={"accelerator": "v5litepod-16"}, gcsfuse=asked)

    yield make
    tpuherd_gcsfuse.leave_workers(make(), held)


def kill_server(cloud, held, worker):
    """End the FUSE server of one worker, as the kernel does when memory is short."""
    home = str(cloud.home(held.workers[worker]))
    found = []
    for folder in Path("/proc").iterdir():
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if any(b"fuse_bucket.py" in word for word in words) and any(home.encode() in word for word in words):
            found.append(int(folder.name))
    assert len(found) == 1
    os.kill(found[0], signal.SIGKILL)
